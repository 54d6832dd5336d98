import { writeFile } from 'node:fs/promises';
import { checkProposal, type Proposal, type ProposedSubgraph, type Published, publishSchema } from '../registry/publication.ts';
import { sdlAt } from '../supergraph/supergraph-at.ts';
import { reportOf, type SchemaCheck } from '../usage/schema-check.ts';
import {
  type Command,
  listIn,
  numberIn,
  print,
  REGISTRY_USAGE,
  registryOptions,
  textIn,
  textOfFile,
  type Values,
  withRegistry,
} from './command-line.ts';

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const reportOptions = { ...registryOptions, days: text, format: text, output: text };
const proposalOptions = { ...reportOptions, subgraph: texts, remove: texts, supergraph: text };

const PROPOSAL_USAGE = `  --subgraph NAME=FILE[@URL]   a new or changed subgraph with its address; can be repeated. All others stay
  --remove NAME                a subgraph to leave out; can be repeated
  --supergraph FILE            instead: a composed supergraph
`;
const REPORT_USAGE = `${REGISTRY_USAGE}  --days NUMBER    days of recorded operations, 1 to 90 (default: 30)
  --format markdown|json   form of the report
  --output FILE    also write the report to a file
`;

export const publishCommand: Command = {
  usage: `compiled-gateway publish   Publish the next version. Refuses (exit code 1) what does not compose or breaks recorded operations
${PROPOSAL_USAGE}  --author TEXT    shown in the history
  --accept-breaking   publish also what breaks recorded operations
  --expect-version NUMBER   publish only if this is the current version; 0 if there is none
${REPORT_USAGE}`,
  options: { ...proposalOptions, author: text, 'accept-breaking': { type: 'boolean' }, 'expect-version': text },
  run: async (values) => publish(values, await proposalIn(values)),
};

export const restoreCommand: Command = {
  usage: `compiled-gateway restore VERSION   Publish an earlier version again, as the next one, with all its subgraphs
  --author TEXT    shown in the history
  --accept-breaking   publish also what breaks recorded operations
${REPORT_USAGE}`,
  options: { ...reportOptions, author: text, 'accept-breaking': { type: 'boolean' } },
  run: (values, [version]) => publish(values, { restored: numberIn(version, 'The version', MAX_VERSION) }),
};

export const checkSchemaCommand: Command = {
  usage: `compiled-gateway check-schema   Judge a change by the operations that clients sent
  Exit code 0: safe, 1: breaks recorded operations, or the check failed, 2: the records cannot tell
${PROPOSAL_USAGE}  --against FILE|URL   compare with this SDL instead of the published or served schema
${REPORT_USAGE}`,
  options: { ...proposalOptions, against: text },
  async run(values) {
    const [proposal, days, against] = [await proposalIn(values), daysIn(values), textIn(values, 'against')];
    const given = against === undefined ? undefined : await sdlAt(against);
    const check = await withRegistry(values, (registry) => checkProposal(registry, proposal, { days, against: given }));
    await report(values, check, days);
    process.exitCode = exitCodes[check.verdict];
  },
};

/** Exit codes of a check, for continuous integration. */
const exitCodes: Readonly<Record<SchemaCheck['verdict'], number>> = { safe: 0, breaks: 1, unknown: 2 };

const MAX_VERSION = 2_147_483_647;

async function publish(values: Values, proposal: Proposal): Promise<void> {
  const author = textIn(values, 'author');
  if (!author) throw new Error('Name who publishes by --author');
  const days = daysIn(values);
  const given = textIn(values, 'expect-version');
  const expected = given === undefined ? undefined : numberIn(given, '--expect-version', MAX_VERSION, 0);
  const options = { author, days, expected, acceptBreaking: values['accept-breaking'] === true };
  const published = await withRegistry(values, (registry) => publishSchema(registry, proposal, options));
  const { outcome, version, check, unaddressed = [] } = published;
  await report(values, check, days, { outcome, version: version ?? null });
  if (outcome === 'refused') process.exitCode = 1;
  process.stderr.write(`${sentences[outcome](version)}\n`);
  if (unaddressed.length > 0)
    process.stderr.write(
      `Without an address: ${unaddressed.join(', ')}. Each gateway needs one in its configuration, or refuses this version.\n`,
    );
}

const sentences: Record<Published['outcome'], (version: number | undefined) => string> = {
  published: (version) => `Published version ${version}.`,
  unchanged: (version) => `Version ${version} is the same; nothing was published.`,
  refused: () => 'Nothing was published. --accept-breaking publishes it nevertheless.',
};

/** Print the report of a check. JSON also has the given fields. */
async function report(values: Values, check: SchemaCheck, days: number, more: object = {}): Promise<void> {
  const isJson = formatIn(values) === 'json';
  const written = isJson ? `${JSON.stringify({ ...more, days, ...check }, undefined, 2)}\n` : reportOf(check, days);
  const output = textIn(values, 'output');
  if (output) await writeFile(output, written);
  print(written);
}

const daysIn = (values: Values): number => numberIn(textIn(values, 'days') ?? '30', '--days', 90);

function formatIn(values: Values): string {
  const format = textIn(values, 'format') ?? 'markdown';
  if (format !== 'markdown' && format !== 'json') throw new Error('--format must be markdown or json');
  return format;
}

async function proposalIn(values: Values): Promise<Proposal> {
  const [given, removed, supergraph] = [listIn(values, 'subgraph'), listIn(values, 'remove'), textIn(values, 'supergraph')];
  const hasSubgraphs = given.length + removed.length > 0;
  if (hasSubgraphs === (supergraph !== undefined)) throw new Error('Name subgraphs by --subgraph, or a supergraph by --supergraph');
  if (supergraph !== undefined) return { supergraph: await textOfFile(supergraph) };
  return { subgraphs: await Promise.all(given.map(subgraphIn)), removed };
}

/** Read `name=file` or `name=file@address`. */
async function subgraphIn(given: string): Promise<ProposedSubgraph> {
  const [, name, file, url] = /^([^=]+)=(.+?)(?:@(https?:\/\/.*))?$/i.exec(given) ?? [];
  if (!name || !file) throw new Error(`A subgraph has the form NAME=FILE or NAME=FILE@URL, not ${given}`);
  return { name, url, sdl: await textOfFile(file) };
}
