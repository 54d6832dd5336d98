import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../structure/files.ts';

const run = promisify(execFile);
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

const DOCUMENTS = `
  query Job($id: ID!) {
    job(id: $id) { status kind modelType createdAt paused }
    jobItems(jobId: $id) { nodes { enrichedData referenceData inputData validationResults provenance { slug confidence at } } }
  }
  query Products($sortBy: ProductSort!, $filter: EnrichedFilter) {
    products(sortBy: $sortBy, enrichedFilter: $filter) { nodes { id sku attributes updatedAt } }
  }
  query Queue($jobId: ID!) {
    reviewQueue(jobId: $jobId) { nodes { proposed { attributeType value } provenance { sourceKind } verdict } }
  }
  query Me { organizations { role } importItems(jobId: "1") { nodes { data { sku variantOptions } } } }
  mutation Enrich($input: NewProductEnrichmentJob!) { createProductEnrichmentJob(input: $input) { id } }
  mutation Write($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }
  mutation Review($itemId: ID!, $decisions: [Decision!]!) { reviewItem(itemId: $itemId, decisions: $decisions) { id } }
  mutation Hook($events: [WebhookEvent!]!) { createWebhook(input: { url: "https://a.example", eventType: $events, method: put }) { secret } }
`;

/** An operation in TypeScript, as frontends write them. */
const CATEGORY = `
import { graphql } from "./generated/index.js";
export const Category = graphql(\`query Category($sortBy: ProductSort!) { products(sortBy: $sortBy) { nodes { sku } } }\`);
`;

/** Statements that must compile with the generated types. */
const sound = [
  `const status: 'completed_with_errors' = job.status as Extract<typeof job.status, 'completed_with_errors'>;`,
  `const created: Date = new Date(job.createdAt); const day: string = job.createdAt.slice(0, 10);`,
  `const tier: 'budget-v1' | 'pro-v1' = job.modelType; const kinds: string[] = [job.kind];`,
  `const found: string | undefined = item.enrichedData?.color?.attributeName;`,
  `const urls = item.referenceData?.mode === 'websearch' ? item.referenceData.urls : item.referenceData?.productIds;`,
  `const score: number | undefined = item.validationResults?.color?.confidence;`,
  `const sure: number[] | undefined = item.provenance?.map(({ confidence, at }) => confidence + Date.parse(at));`,
  `const sorted: ProductsQueryVariables = { sortBy: 'createdAt', filter: 'not-enriched' };`,
  `const enrich: EnrichMutationVariables = { input: { productIds: ['1'], modelType: 'pro-v1' } };`,
  `const write: WriteMutationVariables = { id: '1', attributes: { color: { attributeType: 'text', value: 'red' } } };`,
  `const review: ReviewMutationVariables = { itemId: '1', decisions: [{ slug: 'a', verdict: 'edit', value: ['x'] }] };`,
  `const hook: HookMutationVariables = { events: ['ai_import.failed'] };`,
  `const size: string | undefined = imported.data.variantOptions.Size;`,
  `const skus = (result: ResultOf<typeof Category>): string[] => result.products.nodes.map(({ sku }) => sku);`,
  `const byName: VariablesOf<typeof Category> = { sortBy: 'name' };`,
  `const proposed: 'text' | undefined = proposal.proposed.attributeType === 'text' ? 'text' : undefined;`,
];
/** Statements that must not compile, each with a part of the compiler's message. */
const faulty = [
  [`const enrich: EnrichMutationVariables = { input: { productIds: ['1'], modelType: 'gpt' } };`, `"gpt"`],
  [`const sorted: ProductsQueryVariables = { sortBy: 'price' };`, `"price"`],
  [`const filter: ProductsQueryVariables = { sortBy: 'sku', filter: 'none' };`, `"none"`],
  [`const enrich: EnrichMutationVariables = { input: { productIds: ['1'], modelType: 'pro-v1', speed: 1 } };`, `speed`],
  [`const ended = job.status === 'done';`, `"done"`],
  [`const created: Date = job.createdAt;`, `Date`],
  [`job.finishedAt;`, `finishedAt`],
  [`missing.status;`, `'missing' is possibly 'null'`],
  [`const role: 'guest' = organization.role;`, `"guest"`],
  [
    `const write: WriteMutationVariables = { id: '1', attributes: { color: { attributeType: 'colour', value: 'red' } } };`,
    `"colour"`,
  ],
  [
    `const write: WriteMutationVariables = { id: '1', attributes: { color: { attributeType: 'text', value: { a: 1 } } } };`,
    `'a' does not exist`,
  ],
  [`const review: ReviewMutationVariables = { itemId: '1', decisions: [{ slug: 'a', verdict: 'maybe' }] };`, `"maybe"`],
  [`const hook: HookMutationVariables = { events: ['lead.created'] };`, `"lead.created"`],
  [`const at: Date | undefined = item.provenance?.[0]?.at;`, `Date`],
  [`item.referenceData?.urls;`, `urls`],
  [`const data: { sku: number } = imported.data;`, `sku`],
  [`const raw: string = item.inputData?.name;`, `unknown`],
  [`const sku = (result: ResultOf<typeof Category>): number => result.products.nodes[0]!.sku;`, `number`],
  [`const byPrice: VariablesOf<typeof Category> = { sortBy: 'price' };`, `"price"`],
] as const;

const PRELUDE = `
import type { EnrichMutationVariables, HookMutationVariables, JobQuery, MeQuery, ProductsQueryVariables, QueueQuery,
  ReviewMutationVariables, WriteMutationVariables } from "./generated/graphql.js";
import type { ResultOf, VariablesOf } from "@graphql-typed-document-node/core";
import type { Category } from "./category.js";
declare const missing: JobQuery['job'];
declare const job: NonNullable<JobQuery['job']>;
declare const item: NonNullable<JobQuery['jobItems']>['nodes'][number];
declare const proposal: QueueQuery['reviewQueue']['nodes'][number];
declare const organization: MeQuery['organizations'][number];
declare const imported: NonNullable<MeQuery['importItems']>['nodes'][number];
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-graph-client-'));
  await mkdir(join(folder, 'src'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const file of ['api.graphql', 'codegen.json']) await cp(join(root, 'schema', file), join(folder, file));
  await writeFile(join(folder, 'src', 'documents.graphql'), DOCUMENTS);
  await writeFile(join(folder, 'src', 'category.ts'), CATEGORY);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'codegen.ts'), await recipe());
  await run(bin('graphql-codegen'), ['--config', 'codegen.ts'], { cwd: folder });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The configuration that CONTRIBUTING shows to frontends. */
async function recipe(): Promise<string> {
  const [, code] = /```ts\n(\/\/ codegen\.ts\n[\s\S]*?)```/.exec(await readFile(join(root, 'CONTRIBUTING.md'), 'utf8'))!;
  return code!;
}

/** The options of clients that a bundler builds, and of those that Node runs. */
const resolutions = {
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
  nodenext: ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
};

/** The compiler's errors in a program, by index of the statement. */
async function faultsOf(statements: readonly string[], resolution: keyof typeof resolutions): Promise<Map<number, string>> {
  const above = PRELUDE.split('\n').length - 1;
  const program = PRELUDE + statements.map((each) => `{ ${each} }`).join('\n');
  await writeFile(join(folder, 'src', 'program.ts'), program);
  const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', '--target', 'es2022'];
  const args = [...options, ...resolutions[resolution], '--types', '', join('src', 'program.ts')];
  const said = await run(bin('tsc'), args, { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  const elsewhere = said.split('\n').filter((line) => / error TS/.test(line) && !line.startsWith('src/program.ts'));
  if (elsewhere.length > 0) throw new Error(`The generated client does not compile:\n${elsewhere.join('\n')}`);
  const faults = said.matchAll(/^src\/program\.ts\((\d+),\d+\): error (.*(?:\n .*)*)/gm);
  return new Map([...faults].map(([, line, text]) => [Number(line) - above - 1, text!]));
}

describe.each(['bundler', 'nodenext'] as const)('with the module resolution %s', (resolution) => {
  test('a generated client compiles, and its types are those of the documented words and values', async () => {
    expect(await faultsOf(sound, resolution)).toEqual(new Map());
  });

  test('the compiler rejects unknown words, fields and types', async () => {
    const faults = await faultsOf(
      faulty.map(([statement]) => statement),
      resolution,
    );
    expect(faulty.filter((_, line) => !faults.has(line)).map(([statement]) => statement)).toEqual([]);
    for (const [line, [, named]] of faulty.entries()) expect(faults.get(line)).toContain(named);
  });
});

test('only the values of caller-defined maps have the type unknown', async () => {
  const generated = await readFile(join(folder, 'src', 'generated', 'graphql.ts'), 'utf8');
  const types = generated.split('\n').filter((line) => !/^type Exact|^export const/.test(line));
  expect(types.join('\n').replaceAll('Record<string, unknown>', '')).not.toMatch(/\b(unknown|any)\b(?=[;,> |])/);
});
