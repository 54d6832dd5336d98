import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configurationSchema } from 'compiled-gateway/serve';
import { z } from 'zod';

const page = join(fileURLToPath(new URL('../../..', import.meta.url)), 'gateway/docs/options.md');

interface Setting {
  type?: string;
  enum?: string[];
  anyOf?: Setting[];
  items?: Setting;
  properties?: Record<string, Setting>;
  additionalProperties?: Setting | boolean;
  default?: unknown;
  description?: string;
}

function typeOf({ type, enum: words, anyOf, items, properties }: Setting): string {
  if (words) return words.map((word) => `\`${word}\``).join(', ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  if (type === 'object') return properties ? 'settings' : 'names and values';
  return { string: 'text', integer: 'number', boolean: 'true or false' }[type ?? ''] ?? type ?? 'anything';
}

function defaultOf(given: unknown): string {
  if (given === undefined || (typeof given === 'object' && Object.keys(given ?? {}).length === 0)) return '';
  return Array.isArray(given) ? given.join(', ') : String(given);
}

/** The rows of the page: each setting with its type, default and meaning. */
function* rowsOf({ properties = {} }: Setting, path: string): Generator<string> {
  for (const [name, setting] of Object.entries(properties)) {
    if (name === '$schema') continue;
    const more = typeof setting.additionalProperties === 'object' ? setting.additionalProperties : undefined;
    const at = `${path}${name}${setting.items?.properties ? '[]' : more?.properties ? '.NAME' : ''}`;
    const meaning = setting.description ?? '';
    if (!setting.properties)
      yield `| \`${at}\` | ${more?.properties ? 'settings' : typeOf(setting)} | ${defaultOf(setting.default)} | ${meaning} |`;
    else if (meaning) yield `| \`${at}\` | settings |  | ${meaning} |`;
    // The settings of one subgraph are those of all, and its address.
    const inner = more?.properties ? { properties: { url: more.properties.url! } } : (setting.items ?? setting);
    yield* rowsOf(inner, `${at}.`);
  }
}

const schema = z.toJSONSchema(configurationSchema, { io: 'input' }) as Setting;
const rows = [...rowsOf(schema, '')];

test('the page of options has the settings of the schema', async () => {
  const written = (await readFile(page, 'utf8'))
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(written).toEqual(rows);
});

test('every setting has a meaning', () => {
  expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([]);
});
