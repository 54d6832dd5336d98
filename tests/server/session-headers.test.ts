import { credentialHeaders, readCredentials } from '../../server/request-admission.ts';
import { ownOrigin } from '../../server/sign-in/cookies.ts';

const requestOf = (headers: Record<string, string>, more: object = {}) =>
  ({ headers, ip: '::1', method: 'POST', protocol: 'http', host: 'localhost:4000', ...more }) as never;

test('external subgraphs may receive cookies, but never those of the dashboard', () => {
  const cookie = 'theme=dark; session=cs_secret; __Host-session=cs_secret;oidc=secret; basket=5';
  const passed = credentialHeaders(requestOf({ cookie }), ['cookie'], () => 'hash');
  expect(passed).toMatchObject({ cookie: 'theme=dark; basket=5', 'x-session': 'hash' });
  expect(credentialHeaders(requestOf({ cookie, 'x-session': 'forged' }))).toEqual({ 'x-client-address': '::1' });
  expect(readCredentials({ 'x-session': 'forged', 'X-Session': 'forged', cookie })).toEqual({});
});

test.each<[string, string[], Record<string, string>, object, boolean]>([
  ['its host, without a public URL', [], { origin: 'http://localhost:4000' }, {}, true],
  ['its host in upper case', [], { origin: 'http://localhost:4000' }, { host: 'LOCALHOST:4000' }, true],
  ['another port', [], { origin: 'http://localhost:4001' }, {}, false],
  ['HTTPS instead of HTTP', [], { origin: 'https://localhost:4000' }, {}, false],
  ['the public URL', ['https://a.example/base'], { origin: 'https://a.example' }, {}, true],
  ['the second public URL', ['https://b.example', 'https://a.example'], { origin: 'https://a.example' }, {}, true],
  ['its host, with another public URL', ['https://a.example'], { origin: 'http://localhost:4000' }, {}, false],
  ['a longer host', ['https://a.example'], { origin: 'https://a.example.evil.example' }, {}, false],
  ['nowhere', [], {}, {}, false],
  ['the same site, by a POST', [], { 'sec-fetch-site': 'same-origin' }, {}, false],
  ['the same origin, by a GET', [], { 'sec-fetch-site': 'same-origin' }, { method: 'GET' }, true],
  ['the address bar', [], { 'sec-fetch-site': 'none' }, { method: 'GET' }, true],
  ['the same site, by a GET', [], { 'sec-fetch-site': 'same-site' }, { method: 'GET' }, false],
  ['a handshake without origin', [], { 'sec-fetch-site': 'same-origin', upgrade: 'websocket' }, { method: 'GET' }, false],
])('whether a request from %s counts as one of the dashboard', (_, urls, headers, more, expected) => {
  expect(ownOrigin(urls).sent(requestOf(headers, more))).toBe(expected);
});
