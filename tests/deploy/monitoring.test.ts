import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { freePort } from '../../start/servers/ports.ts';
import { authority } from '../outbound/authority.ts';
import { createDatabase } from '../support/database.ts';
import { root } from '../support/npm.ts';
import { type Running, reportStopped } from '../support/processes.ts';
import { startGateway, startWorker } from '../support/system.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string };
}

interface Dashboard {
  uid: string;
  panels: { id: number; title: string; targets: { expr: string }[] }[];
}

interface Component {
  resources?: { limits: { memory: string } };
}

const monitoring = join(root, 'deploy', 'chart', 'monitoring');
const read = (file: string) => readFileSync(join(monitoring, file), 'utf8');
const rules: Rule[] = parse(read('alerts.yaml')).groups.flatMap(({ rules: all }: { rules: Rule[] }) => all);
const dashboards: Dashboard[] = readdirSync(monitoring).flatMap((file) => (file.endsWith('.json') ? [JSON.parse(read(file))] : []));
const expressions = [...rules, ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets))].map(
  ({ expr }) => expr,
);

/** The names of metrics in an expression: words with an underscore outside of selectors, groupings and functions. */
const metricsIn = (expr: string): string[] => {
  const bare = expr.replace(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|on) \([^)]*\)/g, ' ');
  return [...bare.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b(?!\s*\()/g)].map(([name]) => name);
};

let own: Awaited<ReturnType<typeof createDatabase>>;
const TASK_QUEUE = `monitoring-${randomUUID()}`;
let running: Running[] = [];
let folder: string;
let temporal: Awaited<ReturnType<typeof startTlsProxy>>;
let pages: string[];
let served: Set<string>;
beforeAll(async () => {
  const ports = { gateway: String(await freePort()), worker: String(await freePort()) };
  own = await createDatabase();
  const env = { DATABASE_URL: own.url };
  folder = await mkdtemp(join(tmpdir(), 'catalog-graph-monitoring-'));
  await writeFile(join(folder, 'authority.pem'), authority);
  temporal = await startTlsProxy(new URL(`grpc://${process.env.TEST_TEMPORAL_ADDRESS}`), 'grpc');
  const tls = {
    TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
    TEMPORAL_TLS: 'true',
    TASK_QUEUE,
    NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
  };
  running = await Promise.all([
    startGateway({ ...env, METRICS_PORT: ports.gateway }),
    startWorker({ ...env, ...tls, METRICS_PORT: ports.worker }),
  ]);
  const scrape = async () => {
    pages = await Promise.all(Object.values(ports).map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()));
    served = new Set(pages.join('\n').match(/(?<=^# TYPE )\S+/gm));
  };
  // The SDK of Temporal reports its first metrics after its first requests.
  do {
    await sleep(1_000);
    await scrape();
  } while (!served.has('temporal_worker_task_slots_available') || !served.has('temporal_request'));
});
afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await reportStopped({ TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL_ADDRESS!, TASK_QUEUE });
  await temporal.close();
  await own.drop();
  await rm(folder, { recursive: true });
});

test('every metric of an alert or a dashboard exists', () => {
  const names = [...new Set(expressions.flatMap(metricsIn))];
  expect(names.length).toBeGreaterThan(20);
  const isServed = (name: string) => served.has(name) || served.has(name.replace(/_(?:bucket|count|sum)$/, ''));
  expect(names.filter((name) => !isServed(name))).toEqual([]);
});

test('the worker reaches Temporal by TLS, and trusts the authorities that Node trusts', () => {
  expect(pages[1]).toMatch(/^temporal_request\{.*operation="PollActivityTaskQueue"|^temporal_long_request\{/m);
});

test('series of alerts about increases exist before the first event', () => {
  for (const outcome of ['completed', 'failed'])
    expect(pages[1]).toContain(`job_items_total{kind="ai-import",outcome="${outcome}"} 0`);
  for (const outcome of ['delivered', 'failed'])
    expect(pages[1]).toContain(`webhook_attempts_total{surface="integration",outcome="${outcome}"} 0`);
});

test('the alert of high memory fires below the memory limit of every component', () => {
  const { expr } = rules.find(({ alert }) => alert === 'MemoryHigh')!;
  const [, share] = /^process_resident_memory_bytes \/ process_memory_limit_bytes > (0\.\d+)$/.exec(expr)!;
  expect(Number(share)).toBeGreaterThan(0.5);
  const { components, defaults } = parse(readFileSync(join(monitoring, '..', 'values.yaml'), 'utf8'));
  expect(Object.keys(components)).toHaveLength(5);
  // Without a limit of the container, the share would be one of the node.
  for (const [name, { resources = defaults.resources }] of Object.entries<Component>(components))
    expect([name, resources.limits.memory]).toEqual([name, expect.stringMatching(/^\d+[MG]i$/)]);
});

test('every alert has a section in the runbook, and the runbook has no other', () => {
  const runbook = readFileSync(join(root, 'docs', 'runbook.md'), 'utf8');
  const sections = runbook.split(/^## /m).slice(1);
  expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(rules.map(({ alert }) => alert));
  for (const section of sections) expect(section).toMatch(/\*\*Meaning\*\*[\s\S]*\*\*Action\*\*/);
});

test('every alert waits, has a severity and a summary; dashboards and panels have unique ids', () => {
  for (const rule of rules) {
    expect(rule.for).toMatch(/^\d+m$/);
    expect(rule.labels.severity).toMatch(/^(critical|warning)$/);
    expect(rule.annotations.summary).toBeTruthy();
  }
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
  for (const { panels } of dashboards) expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});
