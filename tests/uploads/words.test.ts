import type { ContentPage } from '../../subgraphs/catalog/uploads/file-pages.ts';
import { countMentions, EVERYWHERE, pageText, wordsOfName, wordsOfPage } from '../../subgraphs/catalog/uploads/grounding.ts';

const table = (columns: string[], rows: string[][]): ContentPage => ({
  ...{ kind: 'table', name: 'CSV', columns, rows, first: 1 },
  ...{ numbers: rows.map((_, at) => at + 2), marks: columns.map(() => null) },
});

test('the text of a page is bounded, however long the names of its columns are', () => {
  const page = table(Array(240).fill('h'.repeat(32_767)), Array(50).fill(Array(240).fill('a')));
  expect(pageText(page, []).length).toBe(60_000);
  expect(pageText({ kind: 'text', text: 'x'.repeat(100_000) }, []).length).toBe(60_000);
});

test('a table is reduced to the rows that mention a name', () => {
  const page = table(
    ['SKU', 'Color'],
    [
      ['A-1', 'red'],
      ['A-2', 'blue'],
      ['A-3', ''],
    ],
  );
  expect(pageText(page, ['a-2'])).toBe('SKU: A-2\nColor: blue');
  expect(pageText(page, ['b-9'])).toBe('SKU: A-1\nColor: red\n\nSKU: A-2\nColor: blue\n\nSKU: A-3');
});

/** The names that each page mentions, by place. */
function mentionsIn(pages: string[], names: string[]) {
  const words = pages.map((text) => wordsOfPage({ kind: 'text', text }));
  const placesOf = (word: number) => {
    const places = words.flatMap((each, place) => (each.has(word) ? [place] : []));
    return places.length > 3 ? [EVERYWHERE] : places;
  };
  return Object.fromEntries(countMentions(names.map(wordsOfName), placesOf));
}

test('a page mentions a name if it has all of its words', () => {
  expect(mentionsIn(['Drill X-18', 'Drill', 'x 18 drill', 'saw'], ['Drill X-18', 'saw'])).toEqual({ 0: 1, 2: 1, 3: 1 });
  expect(mentionsIn(['SKU: A-1, lamp', 'lamp'], ['a-1', 'lamp'])).toEqual({ 0: 2, 1: 1 });
});

test('words of many pages do not count, and texts without spaces are found', () => {
  const pages = ['drill 1', 'drill 2', 'drill 3', 'drill 4', '这是红色台灯的页面'];
  expect(mentionsIn(pages, ['drill 3'])).toEqual({ 2: 1 });
  expect(mentionsIn(pages, ['drill'])).toEqual({});
  expect(mentionsIn(pages, ['红色台灯'])).toEqual({ 4: 1 });
});
