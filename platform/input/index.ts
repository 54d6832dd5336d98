/** Limits of inputs and the fields of forms. One error message lists all faults. */
export { checkFields, type FormField, formFieldType } from './field.ts';
export { checkLimits, EMAIL, type Limit, Limited, limitFaults, limitsOf, NAME, refuseFaults, SLUG } from './limits.ts';
export { checkValues } from './values.ts';
