import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { newSigningSecret, signatureHeaders } from '../../platform/webhooks/delivery-attempt.ts';
import { policyOf } from '../../platform/webhooks/policies.ts';
import { checkSignatures } from '../../platform/webhooks/signature/signature-check.ts';
import { webhookEvents } from '../../schema/webhook-events.ts';
import { cpuTime } from '../support/cpu-time.ts';

const at = new Date('2026-11-22T12:00:00Z');
const id = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a69';
const templates = Object.entries(webhookEvents.integration).map(([event, { data }]) => envelope(event, data));
const secret = newSigningSecret();
const body = JSON.stringify(
  envelope('lead.created', {
    ...webhookEvents.integration['lead.created'].data,
    name: 'Ada “Zoë” Lovelace',
    email: 'a/b@example.com',
  }),
);
const headers: Record<string, string> = { 'x-svc-delivery': id, ...signatureHeaders(id, body, [secret], at) };

function envelope(event: string, payload: Record<string, unknown>) {
  const fields = { id, event, organizationId: id, subscriptionId: id, aboutId: id, occurredAt: at.toISOString(), payload };
  return policyOf('integration').envelope(fields);
}

const lines = (given: Record<string, string>) =>
  Object.entries(given)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n');

/** The names of the failed checks per family, and their reasons. */
function check(change: { headers?: string; body?: string; secret?: string; receivedAt?: Date } = {}) {
  const reports = checkSignatures({ headers: lines(headers), body, secret, receivedAt: at, ...change }, templates);
  const failed = reports.map(({ checks }) => checks.filter(({ passed }) => !passed));
  for (const [nth, { accepted }] of reports.entries()) expect(accepted).toBe(failed[nth]!.length === 0);
  return {
    svc: failed[0]!.map(({ name }) => name),
    standard: failed[1]!.map(({ name }) => name),
    reasons: failed.flat().map(({ reason }) => reason),
  };
}

test('an unchanged delivery passes, with headers as lines or as JSON in any case', () => {
  expect(check()).toEqual({ svc: [], standard: [], reasons: [] });
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  expect(check({ headers: JSON.stringify(upper) })).toEqual({ svc: [], standard: [], reasons: [] });
});

const value = JSON.parse(body);
const sorted = (given: unknown): unknown =>
  given !== null && typeof given === 'object'
    ? Object.fromEntries(
        Object.entries(given)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, each]) => [name, sorted(each)]),
      )
    : given;
const escaped = (text: string) => text.replace(/[^\0-\x7f]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

test.each([
  ['a line break at the end', `${body}\n`, /added around the body/],
  ['a byte order mark', `\uFEFF${body}`, /added around the body/],
  ['a decoding as Latin-1', Buffer.from(body).toString('latin1'), /Latin-1/],
  ['pretty printing', JSON.stringify(value, null, 2), /whitespace of the body/],
  ['spaces after separators', body.replaceAll('":"', '": "').replaceAll('","', '", "'), /whitespace of the body/],
  ['unicode escapes', escaped(body), /how characters or numbers are written/],
  ['escaped slashes', body.replaceAll('/', '\\/'), /how characters or numbers are written/],
  ['sorted keys', JSON.stringify(sorted(value)), /order of the keys/],
  ['sorted keys, spaces and escapes', escaped(JSON.stringify(sorted(value), null, 4)), /order of the keys/],
])('a body changed by %s is recognized', (_, changed, reason) => {
  const { svc, standard, reasons } = check({ body: changed });
  expect([svc, standard]).toEqual([
    ['body', 'signature'],
    ['body', 'signature'],
  ]);
  expect(reasons[0]).toMatch(reason);
});

test.each([
  ['without its prefix', secret.slice(6), /lacks its prefix/],
  ['with a line break', `${secret}\n`, /whitespace or quotes/],
  ['in quotes', `"${secret}"`, /whitespace or quotes/],
  ['percent-encoded', encodeURIComponent(secret.slice(6)).replace(/^/, 'whsec_'), /percent-encoded/],
  ['without padding', secret.replace(/=$/, ''), /base64/],
])('a secret %s is recognized', (_, changed, reason) => {
  const { svc, standard, reasons } = check({ secret: changed });
  expect(svc).toEqual(['secret', 'signature']);
  expect(standard.filter((name) => !['secret', 'signature'].includes(name))).toEqual([]);
  expect(reasons[0]).toMatch(reason);
});

test('the secret of another subscription is a failed signature, and other text a failed secret', () => {
  expect(check({ secret: newSigningSecret() })).toMatchObject({ svc: ['signature'], standard: ['signature'] });
  expect(check({ secret: 'sk_live_1234' })).toMatchObject({ svc: ['secret', 'signature'], standard: ['secret', 'signature'] });
  expect(check({ secret: '' })).toMatchObject({ svc: ['secret', 'signature'] });
});

test('a clock that differs by more than 300 seconds is a failed time', () => {
  const shifted = (seconds: number) => check({ receivedAt: new Date(at.getTime() + seconds * 1_000) });
  for (const seconds of [300, -300]) expect(shifted(seconds)).toMatchObject({ svc: [], standard: [] });
  for (const seconds of [301, -301]) expect(shifted(seconds)).toMatchObject({ svc: ['time'], standard: ['time'] });
  expect(shifted(301).reasons[0]).toMatch(/301 s before the time of receipt/);
});

test.each([
  [{ 'x-svc-signature': undefined, 'webhook-signature': undefined }, ['headers', 'time', 'signature'], /missing/],
  [{ 'x-svc-signature': 'v1=abc' }, ['headers', 'encoding', 'time', 'signature'], /must have the form/],
  [
    { 'x-svc-signature': headers['x-svc-signature']!.toUpperCase().replace('T=', 't=').replace('V1=', 'v1=') },
    ['encoding'],
    /hexadecimal/,
  ],
  [{ 'x-svc-signature': headers['x-svc-signature']!.replace(/t=(\d+)/, 't=$1000') }, ['time', 'signature'], /milliseconds/],
])('the headers %p fail', (change, svc, reason) => {
  const changed = Object.fromEntries(Object.entries({ ...headers, ...change }).filter(([, each]) => each !== undefined)) as Record<
    string,
    string
  >;
  const result = check({ headers: lines(changed) });
  expect(result.svc).toEqual(svc);
  expect(result.reasons[0]).toMatch(reason);
});

test('a replaced webhook-id is recognized', () => {
  const result = check({ headers: lines({ ...headers, 'webhook-id': 'msg_1' }) });
  expect(result).toMatchObject({ svc: [], standard: ['id', 'signature'] });
});

test('hostile input takes a bounded time and never throws', () => {
  const hostile = [
    '['.repeat(100_000),
    '"\\'.repeat(50_000),
    '{"a":'.repeat(20_000),
    '"'.repeat(99_999),
    '',
    'null',
    '{"event":{}}',
    '\ud800',
  ];
  for (const text of hostile)
    expect(check({ body: text, headers: text.slice(0, 16_384), secret: text.slice(0, 1_000) }).svc).toContain('signature');
  const checkAll = () => {
    for (const text of hostile) check({ body: text });
  };
  expect(cpuTime(checkAll)).toBeLessThan(5_000_000);
});

describe('verifiers of other companies', () => {
  const stripe = Stripe.webhooks;
  const signed = (sentAt: Date, text = body) => signatureHeaders(id, text, [secret], sentAt);
  const byStripe = (text: string, { 'x-svc-signature': header }: Record<string, string>, key = secret) =>
    stripe.constructEvent(text, header!, key);
  const byStandard = (text: string, given: Record<string, string>, key = secret) => new Webhook(key).verify(text, given);
  const now = () => new Date();
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

  test('accept the same delivery', () => {
    expect(byStripe(body, signed(now()))).toEqual(value);
    expect(byStandard(body, signed(now()))).toEqual(value);
    expect(byStripe(body, signed(ago(295)))).toEqual(value);
    expect(byStandard(body, signed(ago(295)))).toEqual(value);
  });

  test('reject it when one byte of the body, the signature or the secret differs', () => {
    const fresh = signed(now());
    const flip = (text: string, place: number) =>
      text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ 1) + text.slice(place + 1);
    for (const place of [0, 1, Math.floor(body.length / 2), body.length - 1]) {
      expect(() => byStripe(flip(body, place), fresh)).toThrow(/signature/i);
      expect(() => byStandard(flip(body, place), fresh)).toThrow(/signature/i);
    }
    for (const place of [20, 50, 75]) {
      expect(() => byStripe(body, { 'x-svc-signature': flip(fresh['x-svc-signature']!, place) })).toThrow();
      expect(() => byStandard(body, { ...fresh, 'webhook-signature': flip(fresh['webhook-signature']!, place % 40) })).toThrow();
    }
    const other = secret.slice(0, 20) + (secret[20] === 'A' ? 'B' : 'A') + secret.slice(21);
    expect(() => byStripe(body, fresh, other)).toThrow(/signature/i);
    expect(() => byStandard(body, fresh, other)).toThrow(/signature/i);
  });

  test('reject it 301 seconds later', () => {
    expect(() => byStripe(body, signed(ago(301)))).toThrow(/tolerance/);
    expect(() => byStandard(body, signed(ago(301)))).toThrow(/too old/);
    expect(() => byStandard(body, signed(ago(-302)))).toThrow(/too new/);
  });
});
