import type { Gateway, Operation } from 'compiled-gateway';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { GraphQLError, getOperationAST, Kind, type OperationTypeNode } from 'graphql';
import type { Check } from './check.ts';
import { Faults } from './check.ts';
import type { Cost } from './cost.ts';
import { costOf } from './cost.ts';
import type { Limits } from './limits.ts';

/** A valid operation of a caller. */
export interface Accepted {
  readonly kind: OperationTypeNode;
  readonly cost: Cost;
  /** Plan and compile the operation, once. Planning is expensive, so the cost is compared with its limit before. */
  plan(): Operation;
  /** It asks for nothing but the schema, which is the same for everyone. */
  readonly schemaOnly: boolean;
}

/** The operation that is meant, ready to run. Throws an error of GraphQL, or `Faults` when there are several. */
export type Accept = (document: DocumentNode, operationName?: string | null) => Accepted;

/** The one gate for operations of callers on any transport. The result lives as long as its document. */
export function createAccept(gateway: Gateway, check: Check, limits: Limits): Accept {
  const accepted = new WeakMap<DocumentNode, Map<string, Accepted>>();

  const accept = (document: DocumentNode, name: string | undefined): Accepted => {
    const { faults } = check(document);
    if (faults.length > 0) throw new Faults(faults);
    const definition = getOperationAST(document, name);
    if (!definition) throw unresolved(name);
    let operation: Operation | undefined;
    return {
      kind: definition.operation,
      plan() {
        operation ??= gateway.prepare(document, { operationName: name });
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

function asksForSchema({ selectionSet: { selections } }: OperationDefinitionNode): boolean {
  return selections.every((each) => each.kind === Kind.FIELD && /^__(schema|type)$/.test(each.name.value));
}

const unresolved = (name: string | undefined) =>
  new GraphQLError(name ? `The document has no operation "${name}"` : 'Say by operationName which operation is to run', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  });
