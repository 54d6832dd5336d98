import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { type EnumName, enums as lists } from '../../schema/enums.ts';

// Loads the metadata of all operations.
import '../../start/subgraphs.ts';

type Field = GraphQLField<unknown, unknown>;
type Value = string | number | boolean | Value[] | { [key: string]: Value };

const isId = (type: GraphQLInputType) => getNamedType(type).name === 'ID';

/** Operations without a key. */
export const openOperations = getMetadataStorage()
  .authorizedFields.filter(({ roles }) => roles.includes('public'))
  .map(({ fieldName }) => fieldName);

const AT_ONCE = 8;

/** Run work for each value, several at a time. */
export async function concurrently<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  const remaining = values.values();
  const run = async () => {
    for (const value of remaining) await work(value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

/** Positions of ids: arguments (`id`) and fields of input objects (`input.parentId`). */
export const idPlaces = ({ args }: Field): string[] =>
  args.flatMap(({ name, type }) => {
    const input = getNamedType(type);
    if (isId(type)) return [name];
    if (!isInputObjectType(input)) return [];
    return Object.values(input.getFields())
      .filter((each) => isId(each.type))
      .map((each) => `${name}.${each.name}`);
  });

/** Required arguments, with `id` at the given position and `own` (by argument) at all other id positions. */
export function argumentsFor(
  { args }: Field,
  place: string,
  id: string,
  own: string | ((argument: string) => string),
): Record<string, Value> {
  const ownId = (name: string) => (typeof own === 'string' ? own : own(name));
  const [argument, key] = place.split('.');
  const wanted = args.filter((each) => each.name === argument || isRequiredArgument(each));
  return Object.fromEntries(
    wanted.map(({ name, type }) => {
      if (name !== argument) return [name, sample(type, ownId(name))];
      if (!key) return [name, listed(type, id)];
      const input = { ...(sample(getNamedType(type), ownId(name)) as object), [key]: listed(inputField(type, key), id) };
      return [name, isListType(getNullableType(type)) ? [input] : input];
    }),
  );
}

const listed = (type: GraphQLInputType, value: string): Value => (isListType(getNullableType(type)) ? [value] : value);

function inputField(type: GraphQLInputType, key: string): GraphQLInputType {
  const input = getNamedType(type);
  if (!isInputObjectType(input)) throw new Error(`${type} has no field ${key}`);
  return input.getFields()[key]!.type;
}

let samples = 0;
/** A value that the type accepts. */
function sample(type: GraphQLInputType, own: string): Value {
  const named = getNamedType(type);
  const one = (): Value => {
    if (isInputObjectType(named)) {
      const required = Object.values(named.getFields()).filter(isRequiredInputField);
      return {
        ...Object.fromEntries(required.map((each) => [each.name, sample(each.type, own)])),
        ...inputs[named.name]?.(++samples),
      };
    }
    if (values[named.name] !== undefined) return values[named.name]!;
    if (isEnumType(named)) return named.getValues()[0]!.name;
    if (Object.hasOwn(lists, named.name)) return lists[named.name as EnumName].values[0];
    return named.name === 'ID' ? own : `sample${++samples}`;
  };
  return isListType(getNullableType(type)) ? [one()] : one();
}

const url = 'https://hooks.example.com/';

/** Fields of inputs whose text needs a form, or that the input requires although the type does not. */
const inputs: Record<string, (nth: number) => Record<string, Value>> = {
  NewAuthor: (nth) => ({ slug: `sample${nth}` }),
  NewSiteWebhook: (nth) => ({ url: `${url}${nth}` }),
  SiteDomainInput: () => ({ domain: 'www.example.org' }),
  NewEventSubscription: (nth) => ({ targetUrl: `${url}${nth}` }),
  NewEventSubscriptions: (nth) => ({ targetUrl: `${url}${nth}` }),
  NewLead: () => ({ name: 'Sample' }),
  NewMcpServer: () => ({ url }),
  NewSecret: (nth) => ({ name: `SAMPLE_${nth}` }),
  NewSource: () => ({ type: 'text', text: 'Sample' }),
  NewTestCheck: () => ({ kind: 'answers' }),
  NewTicket: () => ({ subject: 'Sample' }),
  NewTool: () => ({ endpointUrl: url }),
  ProductUpsert: (nth) => ({ sku: `sample${nth}`, name: 'Sample' }),
  ProductEditInput: () => ({ field: 'uom', action: 'set', value: 'pc' }),
};

const values: Record<string, Value> = {
  Role: 'member',
  AttributeValues: {},
  JSONObject: { name: 'sample' },
  DateTime: '2099-01-01T00:00:00Z',
  Int: 1,
  Float: 1,
  Boolean: true,
};

/** Selection of all fields without required arguments, including the nodes of a page. */
function selectionOf({ type }: Field, depth = 0): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const shown = fields.filter((field) => !isObjectType(getNamedType(field.type)) || depth < 1);
  return `{ __typename ${shown.map((field) => `${field.name} ${selectionOf(field, depth + 1)}`).join(' ')} }`;
}

/** A separate operation for a field, with its arguments as variables. */
export function operationOf(kind: 'query' | 'mutation', field: Field, given: Record<string, unknown>): string {
  const used = field.args.filter(({ name }) => name in given);
  const declared = used.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = used.map(({ name }) => `${name}: $${name}`).join(', ');
  // Empty parentheses are invalid in GraphQL.
  const within = (text: string) => (text ? `(${text})` : '');
  return `${kind} ${within(declared)} { ${field.name}${within(passed)} ${selectionOf(field)} }`;
}
