import { Masker } from '../../../subgraphs/agent/tools/masking.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const SECRET = 'pa$$ "wörd"/+&<x>\\ 🔑 99';
const masker = new Masker([SECRET]);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const allPercent = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const unicode = (text: string) => text.replace(/[^a-z ]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
const html = (text: string) => text.replace(/[^a-z ]/gu, (char) => `&#${char.codePointAt(0)};`);

test.each([
  ['as it is', SECRET],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
  ['in JSON with ASCII only', unicode(SECRET)],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ['in a URL with lower-case digits', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
  ['percent-encoded byte by byte', allPercent(SECRET)],
  ['in a URL twice', encodeURIComponent(encodeURIComponent(SECRET))],
  ['in a URL in JSON', JSON.stringify({ a: encodeURIComponent(JSON.stringify(SECRET)) })],
  ['in HTML', SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')],
  ['in HTML as numbers', html(SECRET)],
  ['in Base64', base64(SECRET)],
  ['in Base64 after one character', base64(`u${SECRET}:x`)],
  ['in Base64 after two characters', base64(`u:${SECRET}`)],
  ['in URL-safe Base64', Buffer.from(`user:${SECRET}`).toString('base64url')],
  ['in Base64 in a URL', encodeURIComponent(base64(`user:${SECRET}`))],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ['in upper-case hexadecimal', Buffer.from(SECRET).toString('hex').toUpperCase()],
])('a secret %s is masked', (_, encoded) => {
  const shown = masker.mask(`before ${encoded} after ${encoded}`);
  expect(shown).toMatch(/^before .*•••• *.* after .*••••/);
  expect(shown).not.toContain(encoded);
  // Only the characters around the secret remain.
  expect(shown.replaceAll('••••', '').length).toBeLessThan('before  after '.length + 30);
});

test('other text stays, also when it is encoded', () => {
  const text = 'Ürün 🔑 %41 &amp; \\u0041 + "pa$$" 99 %zz &#; \ud83d';
  expect(masker.mask(text.toWellFormed())).toBe(text.toWellFormed());
});

test('overlapping and adjacent secrets are masked', () => {
  const two = new Masker(['abcdef', 'defghi']);
  expect(two.mask('x abcdefghi y abcdefabcdef z')).toBe('x •••• y •••••••• z');
});

test('values of fewer than four characters are not masked', () => {
  expect(new Masker(['abc']).mask('abc')).toBe('abc');
});

test('JSON values are masked in texts, keys and numbers', () => {
  const numeric = new Masker(['123456']);
  expect(numeric.maskValue({ a: [123456, 7, true, null], 'id 123456': 'x123456' })).toEqual({
    a: ['••••', 7, true, null],
    'id ••••': 'x••••',
  });
});

test('values in the form of common tokens are masked without being known', () => {
  const none = new Masker([]);
  expect(none.mask('Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl, sk_live_abcdefghijklmnop')).toBe('Bearer ••••, ••••');
  expect(none.mask('sketch a task-list')).toBe('sketch a task-list');
});

test('text that resembles the beginning of many tokens is masked in linear time', () => {
  const none = new Masker([]);
  const maskAll = () => {
    for (const text of ['-eyJ', 'eyJ-', 'eyJabcde.', ' eyJabcde', 'sk-live-', 'xoxb-']) none.mask(text.repeat(50_000));
  };
  expect(cpuTime(maskAll)).toBeLessThan(5_000_000);
});

test('a large text with many encoded characters is masked in linear time', () => {
  const text = '%61\\u0061&#97;+'.repeat(60_000);
  expect(cpuTime(() => new Masker(['a'.repeat(8_000), 'b'.repeat(50)]).mask(text))).toBeLessThan(5_000_000);
});
