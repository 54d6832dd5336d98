import type { OperationDefinitionNode } from 'graphql';
import { Kind, parse, print } from 'graphql';
import { routes, type Table } from '../../rest-adapter/route.ts';
import type { Manifest, ManifestOperation } from '../../server/graphql/trusted.ts';
import { hashOf } from '../../server/graphql/trusted.ts';

/** The operations behind the REST API as a manifest of trusted documents, named after their routes. */
export function manifestOf(tables: readonly Table[]): Manifest {
  const operations = tables
    .flatMap(routes)
    .map(({ name, row, surface }) => operationOf(wordsOf(surface.listener === 'main' ? name : `site ${name}`), row.graphql));
  return { format: 'apollo-persisted-query-manifest', version: 1, operations };
}

function operationOf(name: string, text: string): ManifestOperation {
  const { definitions, ...document } = parse(text, { noLocation: true });
  const operation = definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION)!;
  const named = { ...operation, name: { kind: Kind.NAME, value: name } } as const;
  const body = print({ ...document, definitions: definitions.map((each) => (each === operation ? named : each)) });
  return { id: hashOf(body), name, type: operation.operation, body };
}

/** `POST /api/{organization}/products/get` → `PostApiOrganizationProductsGet`. */
const wordsOf = (name: string): string =>
  name.replace(/[a-z0-9]+/gi, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase()).replace(/[^a-z0-9]+/gi, '');
