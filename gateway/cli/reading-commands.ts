import { listPublished } from '../registry/published-schemas.ts';
import type { Registry } from '../registry/registry-database.ts';
import { diffPublished } from '../registry/schema-diff.ts';
import { listFieldUsage, listOperationUsage } from '../registry/usage-reports.ts';
import { type Command, numberIn, print, REGISTRY_USAGE, registryOptions, textIn, withRegistry } from './command-line.ts';

const flag = { type: 'boolean' } as const;
const text = { type: 'string' } as const;
const JSON_USAGE = '  --json           print JSON instead of lines\n';
const MAX_VERSION = 2_147_483_647;

export const historyCommand: Command = {
  usage: `compiled-gateway history   List the published versions, the current one first
${REGISTRY_USAGE}${JSON_USAGE}`,
  options: { ...registryOptions, json: flag },
  async run(values) {
    const { nodes } = await withRegistry(values, (registry) => listPublished(registry, { limit: 200, offset: 0 }));
    if (values.json) return print(JSON.stringify(nodes, null, 2));
    const lines = nodes.map(({ version, publishedAt, verdict, author, restored }) =>
      [version, publishedAt.toISOString(), verdict, author, restored ? `(brings back ${restored})` : ''].join('  ').trimEnd(),
    );
    print(lines.length > 0 ? lines.join('\n') : 'Nothing was published.');
  },
};

export const diffCommand: Command = {
  usage: `compiled-gateway diff FROM TO   Show what two published versions differ in
${REGISTRY_USAGE}${JSON_USAGE}`,
  options: { ...registryOptions, json: flag },
  async run(values, [from, to]) {
    const versions = [numberIn(from, 'FROM', MAX_VERSION), numberIn(to, 'TO', MAX_VERSION)] as const;
    const diff = await withRegistry(values, (registry) => diffPublished(registry, ...versions));
    if (!diff) throw new Error('One of the versions does not exist; the last 200 are kept');
    if (values.json) return print(JSON.stringify(diff, null, 2));
    const { changes, text: lines, others } = diff;
    const listed = changes.map(({ message, isBreaking }) => `${isBreaking ? 'breaking: ' : ''}${message}`);
    if (others > 0) listed.push(`${others} more definitions differ`);
    print(listed.length > 0 ? `${listed.join('\n')}\n\n${lines}` : 'The versions have the same schema for callers.');
  },
};

export const usageCommand: Command = {
  usage: `compiled-gateway usage   List the parts of the schema with their requests, number of clients and last use
  --operations     list the operations instead, with their errors and durations
  --days NUMBER    days that count, 1 to 90 (default: 30)
${REGISTRY_USAGE}${JSON_USAGE}`,
  options: { ...registryOptions, json: flag, operations: flag, days: text },
  async run(values) {
    const request = { days: numberIn(textIn(values, 'days') ?? '30', '--days', 90), limit: 10_000, offset: 0 };
    await withRegistry(values, async (registry) => {
      const { nodes, lines } = values.operations ? await operationLines(registry, request) : await fieldLines(registry, request);
      if (values.json) print(JSON.stringify(nodes, null, 2));
      else print(lines.length > 0 ? lines.join('\n') : 'Nothing was counted.');
    });
  },
};

type Request = Parameters<typeof listFieldUsage>[1];

async function fieldLines(registry: Registry, request: Request) {
  const { nodes } = await listFieldUsage(registry, request);
  const lines = nodes.map(({ coordinate, requests, clientCount, lastUsedAt }) =>
    [coordinate, requests, `${clientCount} clients`, lastUsedAt?.toISOString() ?? 'unused'].join('  '),
  );
  return { nodes, lines };
}

async function operationLines(registry: Registry, request: Request) {
  const { nodes } = await listOperationUsage(registry, request);
  const lines = nodes.map(({ hash, label, name, requests, errors, p50, p99, clients }) => {
    const names = [...new Set(clients.map((client) => client.name || 'unnamed'))].join(', ');
    return [label || name || hash, requests, `${errors} errors`, `${p50} ms`, `${p99} ms`, names].join('  ');
  });
  return { nodes, lines };
}
