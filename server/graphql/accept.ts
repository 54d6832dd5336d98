import type { Gateway, Operation } from 'compiled-gateway';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { GraphQLError, getOperationAST, Kind, type OperationTypeNode } from 'graphql';
import type { Need } from '../../schema/access.ts';
import { truncate } from '../../schema/text.ts';
import { limitLists } from '../list-limits.ts';
import type { Check } from './check.ts';
import { Faults } from './check.ts';
import type { Cost } from './cost.ts';
import { costOf } from './cost.ts';
import type { Limits } from './limits.ts';
import { leastNeed } from './needs.ts';

/** A valid operation from a caller. */
export interface Accepted {
  readonly kind: OperationTypeNode;
  /** Kind and name for the log; without a name the first fields. */
  readonly title: string;
  readonly cost: Cost;
  /** Fields of the document, with fragments expanded. */
  readonly fields: number;
  /** The least need of its root fields. */
  readonly need: Need;
  /** Whether the operation was planned before. */
  readonly isPlanned: boolean;
  /** Plan and compile the operation, once. Planning is expensive, so check the cost first. */
  plan(): Operation;
  /** Whether the operation selects only introspection fields, whose result is the same for all callers. */
  readonly schemaOnly: boolean;
}

/** Validates a document and selects the operation. Throws a `GraphQLError`, or `Faults` when there are several. */
export type Accept = (document: DocumentNode, operationName?: string | null) => Accepted;

/** Create the validation of operations for all transports. Results are cached by document. */
export function createAccept(gateway: Gateway, check: Check, limits: Limits): Accept {
  const accepted = new WeakMap<DocumentNode, Map<string, Accepted>>();

  const accept = (document: DocumentNode, name: string | undefined): Accepted => {
    const { faults, fields } = check(document);
    if (faults.length > 0) throw new Faults(faults);
    const definition = getOperationAST(document, name);
    if (!definition) throw unresolved(name);
    let operation: Operation | undefined;
    return {
      kind: definition.operation,
      title: titleOf(definition),
      fields,
      need: leastNeed(document, name, gateway.schema),
      get isPlanned() {
        return operation !== undefined;
      },
      plan() {
        operation ??= limitLists(gateway.prepare(document, { operationName: name }), document, definition, gateway.schema);
        return operation;
      },
      cost: costOf(document, definition, gateway, limits.listSize),
      schemaOnly: asksForSchema(definition),
    };
  };

  return (document, operationName) => {
    const key = operationName ?? '';
    const known = accepted.get(document);
    const found = known?.get(key);
    if (found) return found;
    const made = accept(document, operationName ?? undefined);
    if (known) known.set(key, made);
    else accepted.set(document, new Map([[key, made]]));
    return made;
  };
}

const MAX_TITLE = 100;

function titleOf({ operation, name, selectionSet: { selections } }: OperationDefinitionNode): string {
  const fields = selections.slice(0, 3).flatMap((each) => (each.kind === Kind.FIELD ? each.name.value : []));
  return truncate(`${operation} ${name?.value ?? `{ ${fields.join(' ')} }`}`, MAX_TITLE);
}

function asksForSchema({ selectionSet: { selections } }: OperationDefinitionNode): boolean {
  return selections.every((each) => each.kind === Kind.FIELD && /^__(schema|type)$/.test(each.name.value));
}

const unresolved = (name: string | undefined) =>
  new GraphQLError(name ? `The document has no operation "${name}"` : 'Say by operationName which operation is to run', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  });
