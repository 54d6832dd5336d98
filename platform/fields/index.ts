/** Fields of the types of the graph: each declares its GraphQL type, TypeScript type and limits at once. Also the fields of forms. */
export {
  allFaults,
  args,
  changeOf,
  checkLimits,
  EMAIL,
  field,
  Id,
  input,
  isWithin,
  type Limit,
  Limited,
  limitFaults,
  limitsOf,
  list,
  NAME,
  output,
  refuseFaults,
  SLUG,
  shared,
  type ValueOf,
} from './declare.ts';
export { checkFields, checkValues, type FormField, formFieldType } from './form-fields.ts';
