import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { describeError } from './process/run.ts';
import { Api } from './sample/sample-client.ts';

const whole = (text: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
};

const command = new Command('test:agent')
  .description(
    'Run a test set of an agent: of its draft, or else of its published version. Fails if the gate would refuse the draft, or if another set does not pass.',
  )
  .requiredOption('--agent <id or slug>', 'the agent')
  .addOption(new Option('--key <key>', 'API key of an owner or admin').env('CATALOG_KEY').makeOptionMandatory())
  .option('--url <address>', 'URL of the running system', 'http://127.0.0.1:4000')
  .option('--set <name>', 'name of the test set; by default the one that publishing requires, or the only one')
  .option('--repeats <times>', 'how often each case runs', whole, 3)
  .option('--credits <number>', 'the run ends before it costs more credits', whole)
  .option('--junit <file>', 'write the report to this file, as JUnit XML')
  .option('--json <file>', 'write the report to this file, as JSON')
  .parse();
interface Options {
  agent: string;
  key: string;
  url: string;
  set?: string;
  repeats: number;
  credits?: number;
  junit?: string;
  json?: string;
}
const options = command.opts<Options>();
const api = new Api(options.url.replace(/\/$/, ''), options.key);

interface Agent {
  id: string;
  slug: string;
  draftId: string | null;
  publishRequires: { testSetId: string; share: number } | null;
}
interface Tally {
  always: number;
  sometimes: number;
  never: number;
}
interface Run {
  id: string;
  status: string;
  error: string | null;
  total: number;
  finished: number;
  credits: number;
  share: number | null;
  regressions: number | null;
  draft: Tally | null;
  published: Tally | null;
}

async function findAgent(): Promise<Agent> {
  const { agents } = await api.run<{ agents: Agent[] }>('{ agents { id slug draftId publishRequires { testSetId share } } }');
  const agent = agents.find(({ id, slug }) => id === options.agent.toLowerCase() || slug === options.agent);
  if (!agent) throw new Error(`There is no agent ${options.agent}`);
  return agent;
}

async function findSet({ id, publishRequires }: Agent): Promise<string> {
  const { testSets } = await api.run<{ testSets: { id: string; name: string }[] }>(
    'query ($id: ID!) { testSets(agentId: $id) { id name } }',
    { id },
  );
  const named = testSets.find(({ name }) => name === options.set);
  const set = options.set ? named?.id : (publishRequires?.testSetId ?? (testSets.length === 1 ? testSets[0]!.id : undefined));
  if (set) return set;
  throw new Error(`Name one of the test sets by --set: ${testSets.map(({ name }) => name).join(', ') || 'the agent has none'}`);
}

const FIELDS = `id status error total finished credits share regressions draft { always sometimes never } published { always sometimes never }`;

/** Follows a run until it has ended. The run goes on when this process ends. */
async function follow(started: Run): Promise<Run> {
  const bar = new SingleBar({ format: '  Testing {bar} {value}/{total} replies', hideCursor: true, noTTYOutput: true });
  bar.start(started.total, 0);
  for (let run = started; ; await sleep(1_000)) {
    run = (await api.run<{ testRun: Run }>(`query ($id: ID!) { testRun(id: $id) { ${FIELDS} } }`, { id: run.id })).testRun;
    bar.update(run.finished);
    if (['pending', 'processing'].includes(run.status)) continue;
    bar.stop();
    return run;
  }
}

async function writeReport(id: string, format: 'junit' | 'json', file: string | undefined): Promise<void> {
  if (!file) return;
  const query = 'query ($id: ID!, $format: TestReportFormat!) { testRunReport(id: $id, format: $format) }';
  await writeFile(file, (await api.run<{ testRunReport: string }>(query, { id, format })).testRunReport);
}

const line = (name: string, tally: Tally | null) =>
  tally ? `${name}: ${tally.always} passed, ${tally.sometimes} flaky, ${tally.never} failed\n` : '';

/** Why the command fails; null if it succeeds. */
async function refusalOf(run: Run, set: string, { id, draftId, publishRequires }: Agent): Promise<string | null> {
  if (run.status !== 'completed') return run.error ?? `The run is ${run.status}.`;
  const gate = publishRequires?.testSetId === set ? publishRequires : null;
  if (draftId && gate) {
    const query = 'query ($id: ID!) { agent(id: $id) { publishRefusal } }';
    return (await api.run<{ agent: { publishRefusal: string | null } }>(query, { id: draftId })).agent.publishRefusal;
  }
  if (run.regressions) return `${run.regressions} cases passed with the published version of ${id} and fail now.`;
  return run.share! < (gate?.share ?? 1) ? 'Not all cases pass.' : null;
}

try {
  const agent = await findAgent();
  const set = await findSet(agent);
  const input = { target: agent.draftId ? 'draft' : 'published', repeats: options.repeats, creditLimit: options.credits };
  const { startTestRun } = await api.run<{ startTestRun: Run }>(
    `mutation ($set: ID!, $input: NewTestRun!) { startTestRun(testSetId: $set, input: $input) { ${FIELDS} } }`,
    { set, input },
  );
  const run = await follow(startTestRun);
  await writeReport(run.id, 'junit', options.junit);
  await writeReport(run.id, 'json', options.json);
  process.stdout.write(`\n${line('Draft', run.draft)}${line('Published', run.published)}${run.credits} credits\n`);
  const refusal = await refusalOf(run, set, agent);
  if (refusal !== null) process.stderr.write(`test:agent: ${refusal}\n`);
  process.exitCode = refusal === null ? 0 : 1;
} catch (error) {
  process.stderr.write(`test:agent: ${describeError(error)}\n`);
  process.exitCode = 1;
}
