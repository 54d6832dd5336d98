import { environment, type Name } from '../../schema/environment.ts';
import { sources, textOf } from './files.ts';

const mayRead = [
  /^schema\/environment\.ts$/,
  /^start\/servers\//,
  /^start\/bootstrap\.mjs$/,
  // Sets a variable of libuv before its threads start.
  /^start\/typescript\.mjs$/,
  // Runs alone, as the health check of a container.
  /^start\/health-probe\.mjs$/,
  /^tests\//,
  /^bench\//,
  /^gateway\/example\//,
  // Fills in the variables that a configuration of the gateway names.
  /^gateway\/serve\/read-configuration\.ts$/,
  // The list of processes shows the password of an argument.
  /^gateway\/cli\/command-line\.ts$/,
];

test('only schema/environment.ts reads the environment', () => {
  const readers = sources.filter(
    (file) => /process\.env|import\.meta\.env/.test(textOf(file)) && !mayRead.some((each) => each.test(file)),
  );
  expect(readers).toEqual([]);
});

test('every variable is used, and has a meaning and a valid default', () => {
  const product = sources.filter((file) => !file.startsWith('tests/') && file !== 'schema/environment.ts');
  const text = product.map(textOf).join('\n');
  for (const [name, { meaning, read, default: fallback }] of Object.entries(environment)) {
    expect(meaning).toMatch(/^\S.*[^.\s]$/);
    expect(fallback === undefined || read(fallback) !== undefined).toBe(true);
    expect([name as Name, new RegExp(`\\b${name}\\b`).test(text)]).toEqual([name, true]);
  }
});

test('the documented limits are the defaults', () => {
  const documented = { CHAT_LIMIT_VISITOR: '20', CHAT_LIMIT_IP: '60', CRAWL_PAGE_LIMIT: '500', RATE_LIMIT_PER_MINUTE: '120' };
  for (const [name, value] of Object.entries(documented))
    expect([name, (environment as Record<string, { default?: string }>)[name]!.default]).toEqual([name, value]);
});
