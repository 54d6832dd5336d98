/** Limits of inputs and the fields of forms. One error message lists all faults. */
export { changeOf } from './change-of.ts';
export { checkFields, checkValues, type FormField, formFieldType } from './form-fields.ts';
export { checkLimits, EMAIL, isWithin, type Limit, Limited, limitFaults, limitsOf, NAME, refuseFaults, SLUG } from './limits.ts';
