import { randomOf, textOf } from '../../../bench/retrieval/corpus.ts';
import { readHtml } from '../../../platform/reading/html-page.ts';
import { linesOf } from '../../../platform/reading/html-text.ts';
import { truncate } from '../../../schema/text.ts';
import { tasks } from '../../../subgraphs/agent/ingestion/crawl/crawl-tasks.ts';
import { withinTokens } from '../../../subgraphs/agent/retrieval/retrieve.ts';
import { countTokens } from '../../../subgraphs/agent/retrieval/token-count.ts';
import { chunkLines, linesOfQuestions, linesOfText } from '../../../subgraphs/agent/sources/chunker.ts';
import { cpuTime, cpuTimeOf } from '../../support/cpu-time.ts';

const parseSitemap = (text: string, limit: number) => tasks.parseSitemap({ bytes: Buffer.from(text), limit });
const chunksOf = (text: string) => chunkLines(linesOfText(text));

describe('chunks', () => {
  test('headings form a path, and a chunk never crosses one', async () => {
    const chunks = await chunksOf('Intro.\n\n# A\n\nOne.\n\n### Deep\n\nTwo.\n\n## B\n\nThree.\n\n# C\n\nFour.');
    expect(chunks.map(({ headings, text }) => [headings.join('/'), text])).toEqual([
      ['', 'Intro.'],
      ['A', 'One.'],
      ['A/Deep', 'Two.'],
      ['A/B', 'Three.'],
      ['C', 'Four.'],
    ]);
  });

  test('long texts are split at sentences, without losing a character, within the size', async () => {
    const random = randomOf(3);
    const paragraph = Array.from({ length: 200 }, () => textOf(random, 12)).join(' ');
    const chunks = await chunksOf(paragraph);
    expect(chunks.length).toBeGreaterThan(5);
    for (const { tokens, text } of chunks) {
      expect(tokens).toBeLessThanOrEqual(330);
      expect(text.endsWith('.')).toBe(true);
    }
    expect(chunks.map(({ text }) => text.replaceAll('\n', ' ')).join(' ')).toBe(paragraph);
  });

  test('text without spaces is split between characters, in time that grows with its length', async () => {
    const text = '👩‍🚀'.repeat(20_000);
    let chunks: Awaited<ReturnType<typeof chunksOf>> = [];
    const time = await cpuTimeOf(async () => {
      chunks = await chunksOf(text);
    });
    expect(time).toBeLessThan(20_000_000);
    expect(chunks.every((each) => each.text.isWellFormed())).toBe(true);
    expect(chunks.map((each) => each.text.replaceAll('\n', '')).join('')).toBe(text);
  });

  test('equal content has equal hashes, also under another title', async () => {
    const [one] = await chunkLines([{ text: 'Same.' }], 'Title');
    const [two] = await chunkLines([{ text: 'Same.' }], 'Title');
    const [other] = await chunkLines([{ text: 'Same.' }], 'Other');
    expect(one!.contentHash).toBe(two!.contentHash);
    expect(one!.contentHash).not.toBe(other!.contentHash);
  });

  test('each question is the context of its answer', async () => {
    const chunks = await chunkLines(linesOfQuestions([{ question: 'Why?', answer: '# Not a heading\nBecause.' }]));
    expect(chunks).toMatchObject([{ context: 'Why?', text: '# Not a heading\nBecause.' }]);
  });

  test('a heading without text of its own is text of the heading above', async () => {
    const chunks = await chunksOf('# A\n\nOne.\n\n## B\n\n## C\n\n### D\n\n# E\n\n# F\n\nTwo.\n\n# G');
    expect(chunks.map(({ headings, text }) => [headings.join('/'), text])).toEqual([
      ['A', 'One.'],
      ['A', 'B'],
      ['A/C', 'D'],
      ['', 'E'],
      ['F', 'Two.'],
      ['', 'G'],
    ]);
    const titled = await chunkLines([{ level: 1, text: 'Title' }, { level: 1, text: 'Other' }, { text: 'Text.' }], 'Title');
    expect(titled).toMatchObject([{ context: 'Title › Other', text: 'Text.' }]);
  });

  test('many headings without text share passages', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `Product ${at}`);
    const chunks = await chunksOf(names.map((name) => `## ${name}`).join('\n'));
    expect(chunks.length).toBeLessThan(50);
    expect(chunks.map(({ text }) => text).join('\n')).toBe(names.join('\n'));
  });

  test('a long heading is cut between characters', async () => {
    const [chunk] = await chunkLines(linesOfQuestions([{ question: `${'x'.repeat(199)}😀?`, answer: 'Because.' }]));
    expect(chunk!.headings).toEqual(['x'.repeat(199)]);
    expect(truncate('a\0b😀', 4)).toBe('ab');
    expect(truncate('ab😀', 4)).toBe('ab😀');
    expect(truncate('\ude00 a', 2)).toBe('\ufffd ');
  });

  test('special tokens of models are counted as text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
    expect(countTokens('hello world')).toBe(2);
  });

  test('a passage that exceeds the rest of the limit is skipped', () => {
    expect(withinTokens([{ tokens: 50 }, { tokens: 60 }, { tokens: 40 }], 100)).toEqual([{ tokens: 50 }, { tokens: 40 }]);
  });
});

test('the headings of a page are marked, also inside tables and links', () => {
  const html =
    '<main><h1>Top <a href="#">link</a></h1><p>Text</p><table><tr><td><h3>Cell</h3></td><td>Value</td></tr></table></main>';
  expect(linesOf(readHtml(html, 'https://example.com', true).text)).toEqual([
    { level: 1, text: 'Top link' },
    { text: 'Text' },
    { text: 'Cell: Value' },
  ]);
});

describe('sitemaps', () => {
  test('entries, index files, entities, namespaces of images and plain lists are read', async () => {
    const xml = `<urlset><url><loc> https://x.com/?a=1&amp;b=2 </loc><image:image><image:loc>https://x.com/i.png</image:loc></image:image></url>
      <url><loc><![CDATA[https://x.com/c]]></loc></url></urlset>`;
    expect(parseSitemap(xml, 10).pages).toEqual(['https://x.com/?a=1&b=2', 'https://x.com/c']);
    expect(parseSitemap('<sitemapindex><sitemap><loc>https://x.com/1</loc></sitemap></sitemapindex>', 10).sitemaps).toHaveLength(1);
    expect(parseSitemap('https://x.com/a\r\nnot a url\nhttps://x.com/b', 10).pages).toEqual(['https://x.com/a', 'https://x.com/b']);
    expect(parseSitemap('', 10)).toEqual({ pages: [], sitemaps: [] });
  });

  test('a hostile file is read in linear time and stops at the limit', async () => {
    const flood = `<urlset>${'<url><loc>https://x.com/</loc></url>'.repeat(200_000)}`;
    const read = () => {
      parseSitemap(`<a>${'<url>'.repeat(1_000_000)}`, 500);
      parseSitemap(`<urlset><url><loc>${'x'.repeat(9_000_000)}`, 500);
      expect(parseSitemap(flood, 500).pages.length).toBeLessThan(20_000);
    };
    expect(cpuTime(read)).toBeLessThan(15_000_000);
  });
});
