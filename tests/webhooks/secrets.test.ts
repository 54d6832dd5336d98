import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secrets } from '../../platform/secrets/index.ts';
import { readEnvironment } from '../../schema/environment.ts';
import { storedSecretsKey } from '../../start/first-run/stages.ts';

const [first, second] = ['the first key, of more than 32 characters', 'the second key, of more than 32 characters'];
const name = { organizationId: 'acme', name: 'webhook/1' };

test('encrypted secrets decrypt, and encryption is randomized', () => {
  const secrets = new Secrets([first]);
  const sealed = secrets.seal('geheim — 秘密', name);
  expect(secrets.open(sealed, name)).toBe('geheim — 秘密');
  expect(sealed.equals(secrets.seal('geheim — 秘密', name))).toBe(false);
  expect(sealed.includes(Buffer.from('geheim'))).toBe(false);
});

test('a secret belongs to its organization and its name', () => {
  const secrets = new Secrets([first]);
  const sealed = secrets.seal('geheim', name);
  expect(() => secrets.open(sealed, { ...name, organizationId: 'other' })).toThrow();
  expect(() => secrets.open(sealed, { ...name, name: 'webhook/2' })).toThrow();
});

test('a modified secret is rejected, for each byte', () => {
  const secrets = new Secrets([first]);
  const sealed = secrets.seal('geheim', name);
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(() => secrets.open(changed, name)).toThrow();
  }
  for (let length = 0; length < sealed.length; length += 1) expect(() => secrets.open(sealed.subarray(0, length), name)).toThrow();
});

test('a new key takes over while the old one is still configured', () => {
  const old = new Secrets([first]).seal('geheim', name);
  const both = new Secrets([second, first]);
  expect(both.open(old, name)).toBe('geheim');
  expect(new Secrets([second]).open(both.seal('neu', name), name)).toBe('neu');
  expect(() => new Secrets([second]).open(old, name)).toThrow('a secret is encrypted with a key that SECRETS_KEY does not contain');
});

test('without a key encryption fails', () => {
  expect(() => new Secrets([]).seal('geheim', name)).toThrow('SECRETS_KEY is required');
});

test('the key of npm start is generated once, and only its owner may read it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-key-'));
  const file = join(folder, 'secrets.key');
  const key = await storedSecretsKey(file);
  expect(readEnvironment(['SECRETS_KEY'], [], { SECRETS_KEY: key }).SECRETS_KEY).toEqual([key]);
  expect(await storedSecretsKey(file)).toBe(key);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await rm(folder, { recursive: true });
});

test('SECRETS_KEY contains one or more long keys', () => {
  const read = (SECRETS_KEY?: string) => readEnvironment(['SECRETS_KEY'], [], { SECRETS_KEY }).SECRETS_KEY;
  expect(read(`${first.replace(',', '')} , ${second.replace(',', '')}`)).toEqual([first.replace(',', ''), second.replace(',', '')]);
  expect(read()).toBeUndefined();
  for (const short of ['short', ' , ', `${first.replace(',', '')},short`])
    expect(() => read(short)).toThrow(/SECRETS_KEY must be one or more keys/);
});
