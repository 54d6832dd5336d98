import type { Answer, Operation, Prepare } from 'compiled-gateway';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  validate,
  visit,
} from 'graphql';
import { limitLists } from '../server/input-limits.ts';
import { fieldsReader } from './request/multipart.ts';
import { type ReadVariables, variableReader } from './request/request-variables.ts';
import { CURSOR, envelopeOf, type Route, type Row } from './route.ts';
import type { Envelope } from './surfaces.ts';

/** The parsed and validated operation of a row. */
export interface RowOperation {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  root: FieldNode;
}

/** A route with its compiled operation. */
export interface Endpoint {
  route: Route;
  operation: Operation;
  /** Extracts the JSON text of the root field; undefined when it is null. */
  payload: (answer: Answer) => string | undefined;
  variables: ReadVariables;
  /** Converts form fields to a body, for rows with `files`. */
  readForm: (fields: Record<string, unknown>) => Record<string, unknown>;
  /** Writes the payload into its envelope. */
  write: (payload: string) => string;
}

const known = new WeakMap<GraphQLSchema, WeakMap<Row, RowOperation>>();

/** Parse the operation of a row and validate it once against the schema. Errors name the row. */
export function readOperation(route: Route, schema: GraphQLSchema): RowOperation {
  const ofSchema = known.get(schema) ?? new WeakMap<Row, RowOperation>();
  known.set(schema, ofSchema);
  const operation = ofSchema.get(route.row) ?? parseOperation(route, schema);
  ofSchema.set(route.row, operation);
  return operation;
}

function parseOperation({ name, row, params, surface }: Route, schema: GraphQLSchema): RowOperation {
  try {
    const document = parse(row.graphql, { noLocation: true });
    const [error] = validate(schema, document);
    if (error) throw error;
    const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
    const [operation] = operations;
    const [root] = operation?.selectionSet.selections ?? [];
    if (operations.length !== 1 || operation?.selectionSet.selections.length !== 1 || root?.kind !== Kind.FIELD) {
      throw new Error('a row has one operation with one root field');
    }
    if ((operation.operation === 'subscription') !== (row.stream !== undefined)) throw new Error('a subscription is a stream');
    const variables = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
    const unused = params.filter(
      (each) => !variables.includes(each) && !(each === 'organization' && surface.organization === 'path'),
    );
    if (unused.length > 0) throw new Error(`no variable reads {${unused[0]}}`);
    return { document, operation, root };
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Create an endpoint. All work that does not depend on a request is done here. */
export function makeEndpoint(route: Route, schema: GraphQLSchema, prepare: Prepare): Endpoint {
  const { document, operation, root } = readOperation(route, schema);
  const { row } = route;
  const key = root.alias?.value ?? root.name.value;
  const options = { label: route.name, omitNull: row.omitNull?.map((path) => `${key}.${path}`) };
  const read = variableReader(route, schema, operation);
  return {
    route,
    operation: limitLists(prepare(selectLast(row.stream?.data, document, root), options), document, operation, schema),
    payload: payloadOf(key),
    variables: row.reply === 'file' ? (parts, unknown) => ({ ...read(parts, unknown), [CURSOR]: null }) : read,
    readForm: fieldsReader(schema, operation),
    write: writerOf(row.flatten, writer(envelopeOf(route))),
  };
}

/** Move the key of the events to the end of the selection, so that its value is a slice of the response text. */
const selectLast = (key: string | undefined, document: DocumentNode, root: FieldNode): DocumentNode => {
  const keyOf = (field: SelectionNode) => field.kind === Kind.FIELD && (field.alias ?? field.name).value;
  const sorted = root.selectionSet?.selections.toSorted((a, b) => Number(keyOf(a) === key) - Number(keyOf(b) === key));
  if (key === undefined || !sorted) return document;
  return visit(document, {
    Field: (field) => (field === root ? { ...root, selectionSet: { ...root.selectionSet, selections: sorted } } : undefined),
  });
};

/** The payload of an answer without errors. Throws if there is none, which is a fault of the resolver. */
export function requiredPayload({ route, payload }: Endpoint, answered: Answer): string {
  const text = payload(answered);
  if (text === undefined) throw new Error(`${route.name}: the operation gave neither a value nor an error`);
  return text;
}

/** Slice the payload out of the response text, because the operation has exactly one root field. */
function payloadOf(key: string) {
  const head = `{${JSON.stringify(key)}:`;
  const nothing = `${head}null}`;
  return ({ data }: Answer) =>
    data === undefined || data === 'null' || data === nothing ? undefined : data.slice(head.length, -1);
}

/** Copy the fields of an object in each entry of the payload to the entry, which keeps its own fields. */
const writerOf = (flatten: string | undefined, write: Endpoint['write']): Endpoint['write'] =>
  flatten === undefined
    ? write
    : (payload) => {
        const entries = JSON.parse(payload) as Record<string, object>[];
        return write(JSON.stringify(entries.map((entry) => ({ ...entry, ...entry[flatten], ...entry }))));
      };

/** Create a function that wraps the JSON text of a payload in its envelope. The constant text is computed once. */
function writer({ with: constants = {}, under, inside }: Envelope): (payload: string) => string {
  const head = JSON.stringify(constants).slice(0, -1);
  const comma = head === '{' ? '' : ',';
  if (under !== undefined) {
    const keys = under.split('.');
    const before = `${head}${comma}${keys.map((key) => `${JSON.stringify(key)}:`).join('{')}`;
    const after = '}'.repeat(keys.length);
    const write = inside ? writer({ with: inside }) : (payload: string) => payload;
    return (payload) => before + write(payload) + after;
  }
  if (!comma) return (payload) => payload;
  return (payload) => (payload === '{}' ? `${head}}` : `${head},${payload.slice(1)}`);
}
