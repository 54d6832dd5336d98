import fc from 'fast-check';
import { readContent } from '../../platform/outbound/web-page.ts';
import { readHtml } from '../../platform/reading/html-page.ts';
import { plainText } from '../../platform/reading/plain-text.ts';
import { cleanHtml, MAX_INLINE } from '../../platform/reading/reading.ts';
import { isCleanHtml, sanitizeOrStrip } from '../../platform/reading/sanitize.ts';
import { compute } from '../../subgraphs/agent/tools/compute.ts';
import { costsLessThan, cpuTime, cpuTimeOf, fastest, unitOfWork } from '../support/cpu-time.ts';

const URL = 'https://shop.example/';
/**
 * Microseconds of processor time of the main thread until the work is done. Other threads and processes do not change it. The least of three
 * runs, because a collection of garbage may fall into one.
 */
async function mainThreadTime(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    times.push(user + system);
  }
  return Math.min(...times);
}

const units = [
  ...[
    '<h1>',
    '<h2>',
    '<b>',
    '<b></b>',
    '</x>',
    '<p>x',
    '<tr><td>',
    '<table><tr><td>x',
    '<dl><dt>x<dd>',
    '<li>',
    '<svg><title>',
    '<font>',
  ],
  ...[
    '<a href="x">',
    '<a b=c d=e>',
    '<p title="',
    "<p title='",
    '<!--',
    '<![',
    '<!',
    '<',
    '</',
    '>',
    '&amp;',
    '&',
    '&#',
    '{% ',
    '{{ ',
    '"',
    ',',
    ';',
  ],
  ...[
    '<b style="color:red;color:blue">x</b>',
    '<img src=x>',
    '<img srcset="a,">',
    '<script>',
    '<style>',
    '<textarea>',
    '\n',
    ' ',
    '\u00ad',
    '\u0001',
    '😀',
    'words ',
  ],
];
/** Hostile text: a few units, each repeated, until a length. */
const hostile = (length: number) =>
  fc
    .array(fc.tuple(fc.constantFrom(...units), fc.integer({ min: 1, max: 1_000 })), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.map(([unit, count]) => unit.repeat(count)).join(''))
    .map((text) => text.repeat(Math.ceil(length / text.length)).slice(0, length));

test('HTML that is read on the event loop costs less than simple work on a quarter of a megabyte, whatever it contains', () => {
  const readers = [sanitizeOrStrip, plainText, isCleanHtml];
  for (const read of readers) cpuTime(() => units.map((unit) => read(unit.repeat(1_000))));
  fc.assert(
    fc.property(hostile(MAX_INLINE), (text) => readers.every((read) => costsLessThan(0.5, () => read(text)))),
    { numRuns: 100 },
  );
});

/** Units of work that the main thread may spend on a megabyte that a thread reads. */
const TRANSFER = 5;
const words = 'some words, 12.5 and more; '.repeat(7_400);
const pages: [string, string][] = [
  ['nested headings without text', `${'<h1>'.repeat(500)}${'<b></b>'.repeat(198_000)}`],
  ['nested headings', `${'<h2>'.repeat(500)}${words}`],
  ['nested titles', `${'<svg><title>'.repeat(250)}${'<b></b>'.repeat(150_000)}`],
  ['nested terms', `${'<dl><dt>'.repeat(250)}${words}`],
  ['nested rows', `${'<table><tr><td>'.repeat(170)}${words}`],
  ['repeated columns', `<table><tr>${`<th>${'x'.repeat(480)}`.repeat(100)}${`<tr>${'<td>1'.repeat(100)}`.repeat(1_500)}`],
  [
    'long keys of JSON-LD',
    `<script type="application/ld+json">{"@type":"Product","${'k'.repeat(1_000_000)}":[${'1,'.repeat(499)}1]}</script>`,
  ],
];
const respond = (body: string | Buffer, owner = 'acme') =>
  readContent(
    owner,
    { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from(body), url: URL, truncated: false },
    { marksHeadings: true },
  );

test.each(pages)('a page with %s is read in linear time, and not on the event loop', async (_, html) => {
  const harmless = '<p>Some words of a page with <b>bold</b> parts.</p>';
  const cost = (text: string) => fastest(() => readHtml(text, URL, true), 2);
  expect(cost(html)).toBeLessThan(10 * cost(harmless.repeat(html.length / harmless.length)));
  await respond('<p>start of the thread</p>');
  expect(await mainThreadTime(() => respond(html))).toBeLessThan(TRANSFER * unitOfWork());
});

test('a hostile page of 5 MB is read or refused, and the page of another organization meanwhile', async () => {
  const flood = Promise.allSettled(fc.sample(hostile(5_000_000), 8).map((html, at) => respond(html, `hostile-${at % 4}`)));
  const page = await respond('<p>Lamp</p>', 'neighbor');
  expect(page.text).toBe('Lamp');
  for (const fate of await flood)
    if (fate.status === 'rejected') expect(fate.reason).toMatchObject({ name: 'OutboundRefused', message: /^The page/ });
});

test('long HTML of a site is cleaned in a thread', async () => {
  const html = '<p>Some <b onclick="x()">words</b></p>'.repeat(25_000);
  let cleaned = '';
  await cleanHtml('acme', html.slice(0, 30_000));
  const time = await mainThreadTime(async () => {
    cleaned = await cleanHtml('acme', html);
  });
  expect(cleaned).toBe('<p>Some <b>words</b></p>'.repeat(25_000));
  expect(time).toBeLessThan(TRANSFER * unitOfWork());
});

test('a path that multiplies a response ends its task, not the process', async () => {
  const text = JSON.stringify(Array.from({ length: 700 }, () => Array.from({ length: 700 }, () => 0)));
  const path = `$[*][${Array.from({ length: 60 }, () => '*')}]`;
  const mapping = { kind: 'jsonpath', path, truncateChars: 1_000 } as const;
  for (let n = 0; n < 3; n += 1)
    await expect(compute({ organizationId: 'acme' }, 'mapResponse', { mapping, text, secrets: [] })).rejects.toThrow(
      /^The work takes too (long|much memory)\.$/,
    );
});

test('many pages of 5 MB leave no garbage that counts as memory of the next', async () => {
  const html = '<p>Some words of a page with <b>bold</b> parts.</p>'.repeat(98_000);
  for (let n = 0; n < 8; n += 1) expect((await respond(html)).text).toMatch(/^Some words/);
});

test('a flood of 20 organizations delays the tool call of another by less than 2 s of both threads', async () => {
  const text = JSON.stringify(Array.from({ length: 1_000 }, (_, n) => ({ n })));
  const call = (organizationId: string, path: string) =>
    compute({ organizationId }, 'mapResponse', { mapping: { kind: 'jsonpath', path, truncateChars: 1_000 }, text, secrets: [] });
  await call('neighbor', '$[0].n');
  const flood = Promise.allSettled(Array.from({ length: 40 }, (_, at) => call(`hostile-${at % 20}`, '$[?count($..*) > @.n]')));
  const delays: number[] = [];
  for (let n = 0; n < 5; n += 1)
    delays.push(await cpuTimeOf(async () => expect(await call('neighbor', '$[1].n')).toMatchObject({ result: 1 })));
  expect(Math.max(...delays)).toBeLessThan(2 * 2_000_000);
  const refusals = new Set((await flood).map((fate) => (fate.status === 'rejected' ? fate.reason.message : 'read')));
  for (const each of refusals)
    expect(['read', 'The work takes too long.', 'Too many calls run at once. Try again shortly.']).toContain(each);
});

test('a canceled task leaves the queue and its thread', async () => {
  const sender = new AbortController();
  const page = (owner: string, signal?: AbortSignal) =>
    readContent(
      owner,
      {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: Buffer.from('<p>a'.repeat(200_000)),
        url: URL,
        truncated: false,
      },
      { signal },
    );
  const running = [1, 2, 3].map(() => page('acme', sender.signal));
  sender.abort(new Error('gone'));
  for (const fate of await Promise.allSettled(running))
    expect(fate).toMatchObject({ status: 'rejected', reason: { message: 'gone' } });
  expect((await page('acme')).text).toMatch(/^a\na/);
  const other = new AbortController();
  const left = page('acme', other.signal);
  other.abort('left');
  await expect(left).rejects.toMatchObject({ message: 'aborted', cause: 'left' });
});
