/** Limits of inputs and the fields of forms. One error message lists all faults. */
export { changeOf } from './change-of.ts';
export {
  checkLimits,
  EMAIL,
  isWithin,
  type Limit,
  Limited,
  limitFaults,
  limitsOf,
  NAME,
  refuseFaults,
  SLUG,
} from './field-limits.ts';
export { checkFields, checkValues, type FormField, formFieldType } from './form-fields.ts';
