import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';

const root = join(import.meta.dirname, '..');

interface Options {
  against?: string;
  supergraph: string;
  subgraph: [name: string, file: string][];
  days: number;
  format: 'markdown' | 'json';
  output?: string;
}

const readDays = (text: string): number => {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 90) throw new InvalidArgumentError('Days must be a whole number from 1 to 90.');
  return days;
};
const readSubgraph = (text: string, others: Options['subgraph']): Options['subgraph'] => {
  const [, name, file] = /^([\w-]+)=(.+)$/.exec(text) ?? [];
  if (!name || !file) throw new InvalidArgumentError('A subgraph has the form name=file.');
  return [...others, [name, file]];
};

const options = new Command('check:schema')
  .description(
    'Compare the schema of this folder with the one that is published or served, and judge each breaking change by the operations that clients sent. Exits with 1 if a change breaks operations or the check fails, and with 2 if the records cannot tell.',
  )
  .option(
    '--against <file or url>',
    'SDL of the schema or supergraph to compare with (default: the one that is published or served)',
  )
  .option('--supergraph <file>', 'SDL of the new supergraph or schema', join(root, 'schema', 'supergraph.graphql'))
  .option(
    '--subgraph <name=file>',
    "compose the new schema of the product's subgraphs and this one; can be repeated",
    readSubgraph,
    [],
  )
  .option('--days <days>', 'days of recorded operations', readDays, 30)
  .addOption(new Option('--format <format>', 'form of the report').choices(['markdown', 'json']).default('markdown'))
  .option('--output <file>', 'also write the report to a file')
  .parse()
  .opts<Options>();

// The arguments are valid, so load the product.
const { reportOf, sdlAt } = await import('compiled-gateway');
const { checkProposal, composeSubgraphs } = await import('compiled-gateway/publication');
const { registryIn } = await import('compiled-gateway/registry');
const { ownSubgraphs } = await import('./gateway/supergraph.ts');
const { runCommand } = await import('./operator/command.ts');

await runCommand('check:schema', async ({ pool }) => {
  const { against, supergraph, subgraph, days, format, output } = options;
  const proposed = subgraph.length > 0 ? await composeWith(subgraph) : await readFile(supergraph, 'utf8');
  const given = against === undefined ? undefined : await sdlAt(against);
  const check = await checkProposal(registryIn(pool), { supergraph: proposed }, { days, against: given });
  process.exitCode = { safe: 0, breaks: 1, unknown: 2 }[check.verdict];
  const report = format === 'json' ? `${JSON.stringify({ days, ...check }, undefined, 2)}\n` : reportOf(check, days);
  if (output) await writeFile(output, report);
  return report.trimEnd();
});

/** Compose the product's own subgraphs with others, which may replace them. */
async function composeWith(others: Options['subgraph']): Promise<string> {
  const own = Object.keys(ownSubgraphs).map((name) => [name, join(root, 'schema', `${name}.graphql`)] as const);
  const all = [...new Map([...own, ...others])].map(async ([name, file]) => ({
    name,
    url: `http://${name}`,
    sdl: await readFile(file, 'utf8'),
  }));
  return composeSubgraphs(await Promise.all(all));
}
