import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { readImage, readPage } from '../../platform/outbound/web-page.ts';
import { decodeText, readHtml } from '../../platform/reading/html-page.ts';
import { Texts } from '../../subgraphs/catalog/extraction/extract-attributes.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { serve } from '../support/http-server.ts';
import { outbound } from './client.ts';

const drill = `<!doctype html><html><head><title>ProDrill 18
  | Acme</title>
<meta name="description" content="A compact drill driver.">
<meta property="og:image" content="/img/drill.jpg">
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Product","name":"ProDrill 18","sku":"PD-18",
 "brand":{"@type":"Brand","name":"Acme"},"offers":{"@type":"Offer","price":129.9,"priceCurrency":"EUR"},
 "weight":{"@type":"QuantitativeValue","value":1.4,"unitText":"kg"},
 "additionalProperty":[{"@type":"PropertyValue","name":"Chuck","value":13,"unitText":"mm"}]}]}</script>
<style>p{color:red}</style></head>
<body><header><h2>Acme shop</h2></header><nav><a href="/">Home</a></nav>
<main><h1>ProDrill&nbsp;18</h1><p>Strong   and <b>light</b>.</p><script>track()</script>
<form><label>Quantity</label><input value="1"></form><svg><text>icon</text></svg>
<table><tr><th>Voltage:</th><td>18 V</td></tr><tr><td>Colours<td>red<br>blue</table>
<table><tr><th>Gear</th><th>Speed</th><th>Torque</th></tr><tr><td>1</td><td>500</td><td>60</td></tr></table>
<dl><dt>Battery</dt><dd>Li-Ion</dd><div><dt>Warranty</dt><dd>3 years</dd></div></dl>
<ul><li>Case<li>Charger</ul><img data-src="side.png" src="data:image/gif;base64,R0" alt="Side view"><img src="/img/drill.jpg" alt="Front"></main>
<aside>Also bought</aside><footer>Imprint</footer></body></html>`;
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const bodies: Record<string, [type: string | undefined, body: string | Buffer]> = {
  '/drill/': ['text/html; charset=utf-8', drill],
  '/latin': ['text/html; charset=ISO-8859-1', Buffer.from('<p>M\xfcller', 'latin1')],
  '/notes.txt': ['text/plain', 'as  it\n\n is'],
  '/data': ['application/ld+json', '{"a": 1}'],
  '/long': ['text/plain', `${'x'.repeat(199_999)}\u{1f600}tail`],
  '/guide.pdf': ['application/pdf', '%PDF-1.7'],
  '/untyped': [undefined, 'hello'],
  '/pixel': ['text/plain', pixel],
  '/fake.png': ['image/png', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
};
const site = await serve((request, response) => {
  const [type, body] = bodies[request.url!] ?? [];
  response.writeHead(body === undefined ? 404 : 200, type === undefined ? {} : { 'content-type': type }).end(body);
});
const client = outbound({ allowHosts: [site.host] });
const read = (path: string) => readPage(client, 'acme', site.url + path);

test('soft hyphens do not part the words of a page, so that its values are found', () => {
  const { title, text } = readHtml(
    '<head><title>K\u00fchl&shy;schrank</title></head><p>Ener&shy;gie&#8203;klasse:\u00a0A',
    'https://shop.example/',
  );
  expect([title, text]).toEqual(['K\u00fchlschrank', 'Energieklasse: A']);
  expect(new Texts([text]).state('Energieklasse')).toBe(true);
});

test('a long number in the metadata of a page keeps its digits', () => {
  const product = '<script type="application/ld+json">{"@type":"Product","sku":12345678901234567890}</script>';
  expect(readHtml(product, 'https://shop.example/').text).toBe('Sku: 12345678901234567890');
});

test('a product page is reduced to its visible lines', async () => {
  const page = await read('/drill/');
  expect(page.title).toBe('ProDrill 18 | Acme');
  expect(page.text.split('\n')).toEqual([
    'Description: A compact drill driver.',
    'Name: ProDrill 18',
    'Sku: PD-18',
    'Brand: Acme',
    'Price: 129.9',
    'Price currency: EUR',
    'Weight: 1.4 kg',
    'Chuck: 13 mm',
    'ProDrill 18',
    'Strong and light.',
    'Voltage: 18 V',
    'Colours: red, blue',
    'Gear: 1; Speed: 500; Torque: 60',
    'Battery: Li-Ion',
    'Warranty: 3 years',
    'Case',
    'Charger',
  ]);
  expect(page.images).toEqual([
    { url: `${site.url}/img/drill.jpg`, alt: 'Front' },
    { url: `${site.url}/drill/side.png`, alt: 'Side view' },
  ]);
  expect(page.contentHash).toBe(createHash('sha256').update(page.text).digest('hex'));
});

test('plain text and JSON stay unchanged', async () => {
  expect(await read('/notes.txt')).toMatchObject({ title: '', text: 'as  it\n\n is', images: [] });
  expect(await read('/data')).toMatchObject({ text: '{"a": 1}' });
});

test('a text is truncated at 200,000 characters, without splitting a character', async () => {
  const { text } = await read('/long');
  // The character at the limit takes two units.
  expect(text).toHaveLength(199_999);
  expect(text.isWellFormed()).toBe(true);
});

test.each([
  ['/guide.pdf', 'type'],
  ['/untyped', 'type'],
  ['/nothing', 'status'],
])('%s is rejected as %s', async (path, kind) => {
  await expect(read(path)).rejects.toMatchObject({ name: 'OutboundRefused', kind });
});

test.each([600, 5_000])('a page of %d open elements keeps its text within and after them', (depth) => {
  const deep = `${'<div>'.repeat(depth)}Deep text.${'</div>'.repeat(depth)}`;
  const { text } = readHtml(`<p>Before.</p>${deep}<p>After.</p>`, site.url);
  expect(text).toBe('Before.\nDeep text.\nAfter.');
});

test('a page inside one form is readable', () => {
  expect(readHtml('<form><p>All of it</p><input></form>', site.url).text).toBe('All of it');
});

test('the header of an article keeps its title', () => {
  expect(readHtml('<header>Shop</header><article><header><h1>Saw</h1></header>Cuts.</article>', site.url).text).toBe('Saw\nCuts.');
});

test.each([
  ['by its header', Buffer.from('M\xfcller', 'latin1'), 'text/plain; charset=latin1', 'Müller'],
  ['as windows-1252', Buffer.from([0x80, 0x93]), 'text/plain; charset="windows-1252"', '€“'],
  ['by its mark', Buffer.from('\ufeffhé', 'utf16le'), 'text/html; charset=latin1', 'hé'],
  ['by utf-16 in the header', Buffer.from('hé', 'utf16le'), 'text/html; charset=utf-16le', 'hé'],
  ['by its meta tag', Buffer.from('<meta charset="iso-8859-1">\xfc', 'latin1'), 'text/html', '<meta charset="iso-8859-1">ü'],
  ['as UTF-8 when the name is unknown', Buffer.from('ü'), 'text/html; charset=klingon', 'ü'],
  ['without what a database refuses', Buffer.from('a\0b'), 'text/plain', 'ab'],
])('a text is decoded %s', (_, bytes, contentType, text) => {
  expect(decodeText(bytes, contentType)).toBe(text);
});

test.each<[string, string]>([
  ['deep nesting', '<div>'.repeat(100_000)],
  ['nested tables', '<table><tr><td>x'.repeat(100_000)],
  ['closing tags of nothing', '<b>'.repeat(500) + '</i>'.repeat(300_000)],
  ['a million siblings', '<p>x'.repeat(1_000_000)],
  ['a huge attribute', `<p title="${'x'.repeat(5_000_000)}">y`],
  ['many attributes', `<p ${Array.from({ length: 200_000 }, (_, at) => `a${at}=1`).join(' ')}>y`],
  [
    'deep JSON-LD',
    `<script type="application/ld+json">{"@type":"Product","a":${'['.repeat(500_000)}${']'.repeat(500_000)}}</script>`,
  ],
  ['a deep JSON-LD type', `<script type="application/ld+json">{"@type":${'['.repeat(500_000)}${']'.repeat(500_000)}}</script>`],
])('%s is parsed in seconds without overflow', (_, html) => {
  expect(cpuTime(() => readHtml(html, site.url))).toBeLessThan(10_000_000);
});

test('an image is known by its content', async () => {
  const image = await readImage(client, 'acme', `${site.url}/pixel`);
  expect(image).toMatchObject({ url: `${site.url}/pixel`, mime: 'image/png' });
  expect(image.bytes.equals(pixel)).toBe(true);
  expect(image.contentHash).toBe(createHash('sha256').update(pixel).digest('hex'));
  await expect(readImage(client, 'acme', `${site.url}/fake.png`)).rejects.toMatchObject({ kind: 'type' });
  await expect(readImage(client, 'acme', `${site.url}/none`)).rejects.toMatchObject({ kind: 'status', status: 404 });
});
