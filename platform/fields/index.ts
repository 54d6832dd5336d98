/** Fields of the types of the graph: each declares its GraphQL type, TypeScript type and limits at once. Also the fields of forms. */
export { args, changeOf, field, Id, input, list, output, shared, type ValueOf } from './declare.ts';
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
