import { readFile, writeFile } from 'node:fs/promises';
import { composeServices } from '@apollo/composition';
import { printSubgraphSchema } from '@apollo/subgraph';
import { createGateway } from 'compiled-gateway';
import { parse } from 'graphql';
import { buildSubgraph } from '../platform/subgraph/build.ts';
import { openApiDocument } from '../rest-adapter/openapi/document.ts';
import { restTables } from '../rest-adapter/routes/index.ts';
import { ACCESS } from '../schema/access.ts';
import { CONSTRAINT } from '../schema/constraint.ts';
import { subgraphs } from './graph.ts';
import { codegenConfig } from './schema/codegen.ts';
import { configurationPage, withFirstSettings } from './schema/configuration.ts';
import { manifestOf } from './schema/manifest.ts';
import { fillEvents } from './schema/webhooks-page.ts';
import { version } from './version.ts';

const root = new URL('../', import.meta.url);

/** The generated files by path. */
export async function emitSchema(): Promise<Record<string, string>> {
  const built = await Promise.all(subgraphs.map(({ parts }) => buildSubgraph(parts)));
  const { supergraphSdl, errors } = composeServices(
    built.map(({ name, sdl }) => ({ name, url: `http://${name}`, typeDefs: parse(sdl) })),
  );
  if (!supergraphSdl) throw new Error(`The subgraphs do not compose:\n${errors?.map(({ message }) => `  ${message}`).join('\n')}`);

  const unreachable = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };
  const { schema } = createGateway({
    supergraph: supergraphSdl,
    apiDirectives: [CONSTRAINT, ACCESS],
    sources: Object.fromEntries(built.map(({ name }) => [name, unreachable])),
  });
  const idempotent = built.flatMap((each) => each.idempotent).sort();
  const openApi = (listener: 'main' | 'site') =>
    `${JSON.stringify(openApiDocument({ tables: restTables, schema, listener, version, idempotent }), null, 2)}\n`;
  const schemaFiles = {
    ...Object.fromEntries(built.map(({ name, sdl }) => [`${name}.graphql`, `${sdl}\n`])),
    'supergraph.graphql': `${supergraphSdl}\n`,
    // Unlike `printSchema` of graphql-js, this printer includes applied directives.
    'api.graphql': `${printSubgraphSchema(schema)}\n`,
    'codegen.json': `${JSON.stringify(codegenConfig(schema), null, 2)}\n`,
    'openapi.json': openApi('main'),
    'openapi-site-content.json': openApi('site'),
    'idempotent-operations.json': `${JSON.stringify(idempotent, null, 2)}\n`,
    'trusted-documents.json': `${JSON.stringify(manifestOf(restTables), null, 2)}\n`,
  };
  return {
    ...Object.fromEntries(Object.entries(schemaFiles).map(([name, text]) => [`schema/${name}`, text])),
    'docs/configuration.md': configurationPage(),
    'docs/webhooks.md': fillEvents(await readFile(new URL('docs/webhooks.md', root), 'utf8')),
    'README.md': withFirstSettings(await readFile(new URL('README.md', root), 'utf8')),
  };
}

/** The committed files that differ from the generated ones. */
export async function staleFiles(): Promise<string[]> {
  const stale = await Promise.all(
    Object.entries(await emitSchema()).map(async ([path, text]) => {
      const committed = await readFile(new URL(path, root), 'utf8').catch(() => '');
      return committed === text ? [] : [path];
    }),
  );
  return stale.flat();
}

if (import.meta.main) {
  const files = Object.entries(await emitSchema());
  for (const [path, text] of files) await writeFile(new URL(path, root), text);
  process.stdout.write(`Wrote ${files.map(([path]) => path).join(', ')}\n`);
}
