import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';

const root = join(import.meta.dirname, '..');

interface Options {
  against?: string;
  schema: string;
  subgraph: Record<string, string>;
  days: number;
  format: 'markdown' | 'json';
  output?: string;
}

const readDays = (text: string): number => {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 90) throw new InvalidArgumentError('Days must be a whole number from 1 to 90.');
  return days;
};
const readSubgraph = (text: string, others: Record<string, string>) => {
  const [, name, file] = /^([\w-]+)=(.+)$/.exec(text) ?? [];
  if (!name || !file) throw new InvalidArgumentError('A subgraph has the form name=file.');
  return { ...others, [name]: file };
};

const options = new Command('check:schema')
  .description(
    'Compare the schema of this folder with the one that is served, and judge each breaking change by the operations that clients sent. Exits with 1 if a change breaks operations or the check fails, and with 2 if the records cannot tell.',
  )
  .option('--against <file or url>', 'SDL of the schema or supergraph to compare with (default: the one that the gateway serves)')
  .option('--schema <file>', 'SDL of the new supergraph or schema', join(root, 'schema', 'supergraph.graphql'))
  .option(
    '--subgraph <name=file>',
    "compose the new schema of the product's subgraphs and this one; can be repeated",
    readSubgraph,
    {},
  )
  .option('--days <days>', 'days of recorded operations', readDays, 30)
  .addOption(new Option('--format <format>', 'form of the report').choices(['markdown', 'json']).default('markdown'))
  .option('--output <file>', 'also write the report to a file')
  .parse()
  .opts<Options>();

// The arguments are valid, so load the product.
const { checkSchema, reportOf } = await import('compiled-gateway');
const { recordedOperations, listSchemas } = await import('../platform/usage/index.ts');
const { composeWith, schemaIn } = await import('./schema/proposed-schema.ts');
const { runCommand } = await import('./operator/command.ts');

await runCommand('check:schema', async ({ pool }) => {
  const { against, schema, subgraph, days, format, output } = options;
  const served = against ? await readText(against) : (await listSchemas(pool, { page: 1, limit: 1 })).nodes[0]?.text;
  if (served === undefined) throw new Error('No gateway has recorded its schema; name one by --against <file or url>');
  const proposed = Object.keys(subgraph).length > 0 ? await composeWith(subgraph) : await readFile(schema, 'utf8');
  const check = checkSchema(schemaIn(served), schemaIn(proposed), await recordedOperations(pool, days));
  process.exitCode = { safe: 0, breaks: 1, unknown: 2 }[check.verdict];
  const report = format === 'json' ? `${JSON.stringify({ days, ...check }, undefined, 2)}\n` : reportOf(check, days);
  if (output) await writeFile(output, report);
  return report.trimEnd();
});

async function readText(place: string): Promise<string> {
  if (!/^https?:/.test(place)) return readFile(place, 'utf8');
  const { request } = await import('undici');
  const { statusCode, body } = await request(place, { headers: { accept: 'text/plain, application/graphql, */*' } });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${place} answered ${statusCode}`);
  return text;
}
