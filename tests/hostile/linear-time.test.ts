import { EMAIL } from '../../platform/fields/declare.ts';
import { decodeText, readHtml } from '../../platform/reading/html-page.ts';
import { plainText } from '../../platform/reading/plain-text.ts';
import { sanitizeOrStrip } from '../../platform/reading/sanitize.ts';
import { describeError } from '../../schema/errors.ts';
import { extract } from '../../start/offline-model/reading/attribute-answers.ts';
import type { RequestedAttribute } from '../../start/offline-model/reading/extraction-request.ts';
import { readOffers } from '../../start/offline-model/reading/offer-pages.ts';
import { listProducts } from '../../start/offline-model/reading/product-lists.ts';
import { unsupportedSentences } from '../../subgraphs/agent/chat/citations.ts';
import { inJson, render } from '../../subgraphs/agent/tools/templates.ts';
import { readValue } from '../../subgraphs/catalog/extraction/constraints.ts';
import { evidenceOf, Texts } from '../../subgraphs/catalog/extraction/extract-attributes.ts';
import type { Rule } from '../../subgraphs/catalog/extraction/extraction-prompt.ts';
import { confidenceReader, contains, parseObject } from '../../subgraphs/catalog/extraction/extraction-prompt.ts';
import { fastest, unitOfWork } from '../support/cpu-time.ts';

const wanted = (type: Rule['type'], more: Partial<RequestedAttribute> = {}): RequestedAttribute => ({
  property: type,
  name: type === 'number' ? 'Weight' : 'Color',
  type,
  prompt: '',
  options: [],
  unit: type === 'number' ? 'kg' : null,
  constraints: {},
  ...more,
});
const types = ['text', 'html', 'number', 'date', 'boolean', 'select', 'multiselect'] as const;
const rule = (type: Rule['type'], constraints: Rule['constraints'] = {}): Rule => ({ type, options: [], constraints });
const material = (text: string) => ({
  product: { name: 'Lamp' },
  existing: {},
  sources: [{ id: '1', kind: 'text' as const, url: null, title: 'Lamp', text }],
});
const width = wanted('number', { name: 'Width', unit: 'cm' });

/** Each function reads text of callers, pages, files or models. */
const readers: Record<string, (text: string) => unknown> = {
  sanitizeOrStrip,
  confidenceReader: (text) => confidenceReader([text])(`${text}x`),
  'contains, parseObject': (text) => [contains([text], text), parseObject(text)],
  decodeText: (text) => decodeText(Buffer.from(text), `text/html; charset${text.slice(0, 1_000)}`),
  describeError: (text) => describeError(Object.assign(new Error(text), { code: '22P02' })),
  EMAIL: (text) => EMAIL.pattern.test(`a@a${text}@`),
  evidenceOf: (text) => {
    const attribute = { ...wanted('text'), id: '1', slug: 'a' };
    return evidenceOf({
      attribute,
      value: text,
      quote: text.replace('a', 'b'),
      isQuoted: true,
      derived: 'list',
      material: new Texts([text]),
      known: [],
    });
  },
  readHtml: (text) => readHtml(`<title>${text}</title><dl><dt>${text}</dt><dd>${text}</dd></dl>${text}`, 'https://shop.example/'),
  readValue: (text) => [
    ...types.map((type) => readValue(rule(type, { minWords: 1 }), text)),
    readValue(rule('text', { format: 'keywords' }), text),
    readValue(rule('html', { format: 'html-section' }), `<div>${text}</div>`),
    readValue({ ...rule('text'), prompt: text }, 'n/a'),
    readValue(rule('multiselect'), [...text]),
  ],
  unsupportedSentences: (text) => unsupportedSentences(`${text} [1]`, [{ title: null, text }]),
  plainText,
  'render, inJson': (text) => render(text + '{{params.a}}'.repeat(text.length / 20), { params: {}, secrets: new Map() }, inJson),
  'offline model: extract': (text) => {
    const attributes = [...types.map((type) => wanted(type, { prompt: text.slice(0, 20_000) })), width];
    return extract({ attributes, material: { ...material(text), product: { name: 'Lamp', Color: text, Width: text } } });
  },
  'offline model: products': (text) =>
    listProducts({ file: 'a.csv', columns: ['name', 'color'], rows: [[`x${text}x`, 'red']], text } as never),
  'offline model: offers': (text) => readOffers(material(text)),
};

const UNITS = [
  ' ',
  '\t',
  ' \n',
  '<',
  '<a ',
  '<!--',
  '<![',
  '```',
  '-',
  ')',
  '(',
  '“a',
  '."',
  'a.',
  'a,',
  '1',
  '1 111',
  "1'111",
  '|',
  '"n/a"',
  'use ',
  'ignore ',
];
const textOf = (unit: string, length: number) => `a${unit.repeat(length / unit.length)}a\u2028`;

test.each(Object.keys(readers))('%s takes linear time', (name) => {
  const read = readers[name]!;
  const unit = unitOfWork();
  const slow = UNITS.filter((each) => {
    const [short, long] = [textOf(each, 5_000), textOf(each, 20_000)];
    const once = fastest(() => read(short), 1);
    return (
      fastest(() => read(long), 1) > 8 * Math.max(once, unit) &&
      fastest(() => read(long)) >
        8 *
          Math.max(
            fastest(() => read(short)),
            unit,
          )
    );
  });
  expect(slow).toEqual([]);
});
