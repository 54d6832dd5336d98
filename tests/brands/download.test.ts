import { parse } from 'csv-parse/sync';
import { database } from '../support/seed.ts';
import { labels, seedLabels, type Words } from './labels.ts';

const today = () => new Date().toISOString().slice(0, 10);

describe.each(labels)('$label download', (words) => {
  const { files, jobs, noProducts } = words;

  test('the file has the input columns, the outcome and a column per attribute, with the documented cells', async () => {
    const { addAttribute, addProducts, enrich, download } = await seedLabels(words);
    await addAttribute({ slug: 'material', name: 'Material', type: 'text' });
    await addAttribute({ slug: 'description', name: 'Description', type: 'html' });
    await addAttribute({ slug: 'weight', name: 'Weight', type: 'number', unit: 'kg' });
    await addAttribute({ slug: 'dishwasher-safe', name: 'Dishwasher safe', type: 'boolean' });
    await addAttribute({ slug: 'sizes', name: 'Sizes', type: 'multiselect', options: ['S', 'M', 'L'] });
    await addAttribute({ slug: 'nothing', name: 'Sound level', type: 'number' });
    const sheet = `This kettle is made for people who like their tea in the morning.
Material: stainless steel
Weight: 850 g
Dishwasher safe: yes
Sizes: S, L`;
    await addProducts('Norrvik', [{ userProvidedRawDataSources: [sheet] }]);
    const cells = {
      quote: 'say "hi", ok',
      lines: 'a\nb',
      formula: '=1+1',
      at: '@x',
      minus: '-2+3',
      plus: '+49 30',
      space: ' x ',
      zero: '007',
      number: 1.5,
      flag: true,
    };
    const inputColumns = ['name', ...Object.keys(cells), 'absent', 'constructor'];
    const { job } = await enrich([{ name: 'Norrvik', ...cells }, { name: 'Nobody' }], {
      inputColumns,
      fileName: 'my list.v2.csv',
      useWebsearch: false,
    });

    const { status, headers, body } = await download(job.id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="my list.v2_enriched_${today()}.csv"`);
    expect(body.endsWith('\r\n')).toBe(true);
    expect(body.startsWith('name,quote,lines,')).toBe(true);
    const [header, first, second, ...more] = read(body);
    expect(more).toEqual([]);
    expect(header).toEqual([
      ...inputColumns,
      ...['Enrichment Status', 'Enrichment Error'],
      ...['Material', 'Description', 'Weight', 'Dishwasher safe', 'Sizes', 'Sound level'],
    ]);
    expect(first).toEqual([
      ...['Norrvik', 'say "hi", ok', 'a\nb', '=1+1', '@x', '-2+3', '+49 30', ' x ', '007', '1.5', 'true', '', '', 'completed', ''],
      ...['stainless steel', expect.stringMatching(/^<p>This kettle .*<\/p><ul>/), '0.85', 'Yes', 'S;L', ''],
    ]);
    expect(second!.slice(0, 1)).toEqual(['Nobody']);
    expect(second!.slice(inputColumns.length)).toEqual(['failed', noProducts, '', '', '', '', '', '']);
  });

  test('tags are stripped from values that are not HTML, and other values stay unchanged', async () => {
    const { id, rewrite, download } = await ended(words);
    const value = (attributeType: string, value: unknown) => ({
      attributeId: 'x',
      attributeName: `A ${attributeType}`,
      attributeType,
      value,
    });
    await rewrite({
      text: value('text', '<p>Fine <b>tools</b></p>'),
      html: value('html', '<p>Fine <b>tools</b></p>'),
      select: value('select', 'a < b  & c > d'),
      multiselect: value('multiselect', ['<i>x</i>', 'y;z']),
      boolean: value('boolean', false),
    });
    const [header, row] = read((await download(id)).body);
    const cells = Object.fromEntries(header!.map((title: string, at: number) => [title, row![at]]));
    expect(cells).toMatchObject({
      'A text': 'Fine tools',
      'A html': '<p>Fine <b>tools</b></p>',
      'A select': 'a < b  & c > d',
      'A multiselect': 'x;y;z',
      'A boolean': 'No',
    });
  });

  test('attributes with the same name use their slugs as headers', async () => {
    const { id, rewrite, download } = await ended(words);
    const named = (attributeName: string) => ({ attributeId: 'x', attributeName, attributeType: 'text', value: attributeName });
    await rewrite({ one: named('Same'), two: named('Same'), three: named('Enrichment Status'), four: named('Other') });
    const [header] = read((await download(id)).body);
    expect(header!.slice(3).sort()).toEqual(['Other', 'one', 'three', 'two']);
  });

  test('without a file name the file is named after the job; any other name survives', async () => {
    const { id, download, enrich } = await ended(words);
    const name = `${files}_${id.slice(0, 8)}_enriched_${today()}.csv`;
    expect((await download(id)).headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    const { job } = await enrich([{ name: 'Nobody' }], { fileName: 'Märkte "neu".csv', useWebsearch: false });
    expect((await download(job.id)).headers.get('content-disposition')).toBe(
      `attachment; filename="M_rkte _neu__enriched_${today()}.csv"; filename*=UTF-8''M%C3%A4rkte%20%22neu%22_enriched_${today()}.csv`,
    );
  });

  test('a long job is sent in pages, with each row once and in order', async () => {
    const { id, download } = await ended(words);
    await database().query(
      `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status, input_data)
       select gen_random_uuid(), organization_id, id, n, n, 'failed', json_build_object('name', 'Nobody ' || n)
         from catalog.jobs, generate_series(1, 619) n where id = $1`,
      [id],
    );
    const [, ...lines] = read((await download(id)).body);
    expect(lines.map(([name]) => name)).toEqual(['Nobody', ...Array.from({ length: 619 }, (_, at) => `Nobody ${at + 1}`)]);
  });

  test('each attribute that occurs in any row has a column, with the first of its names', async () => {
    const { id, download } = await ended(words);
    const rows = [{ one: 'One' }, { two: 'Two' }, { one: 'One', three: 'Three' }, { two: 'A name of two' }, { one: 'One' }];
    await database().query(
      `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status, subject, label, enriched_data)
       select gen_random_uuid(), organization_id, id, n, n, 'completed', $3, 'Row ' || n,
              (select jsonb_object_agg(key, jsonb_build_object('attributeName', value, 'attributeType', 'text', 'value', key || ' ' || n)) from jsonb_each_text(r))
         from catalog.jobs, jsonb_array_elements($2::jsonb) with ordinality as given (r, n) where id = $1`,
      [id, JSON.stringify(rows), words.label],
    );
    const [header, , ...lines] = read((await download(id)).body);
    const cells = (line: string[]) => Object.fromEntries(header!.map((title, at) => [title, line[at]]).slice(3));
    expect(header!.slice(3).sort()).toEqual(['A name of two', 'One', 'Three']);
    expect(lines.map(cells)).toEqual([
      { One: 'one 1', Three: '', 'A name of two': '' },
      { One: '', Three: '', 'A name of two': 'two 2' },
      { One: 'one 3', Three: 'three 3', 'A name of two': '' },
      { One: '', Three: '', 'A name of two': 'two 4' },
      { One: 'one 5', Three: '', 'A name of two': '' },
    ]);
  });

  test('an unknown job is not found, and a cursor of the caller is ignored', async () => {
    const { id, post, api, slug, download } = await ended(words);
    const unknown = await download('0199a000-0000-7000-8000-000000000000');
    expect(unknown).toMatchObject({ status: 404, body: { success: false, message: 'Job not found' } });
    expect((await api.get(`/api/${slug}${jobs}/${id}/download?after=x`)).status).toBe(200);
    const query =
      'query ($id: ID!, $kind: JobKind!, $after: String) { enrichmentFile(jobId: $id, kind: $kind, after: $after) { name } }';
    for (const after of [
      'x',
      Buffer.from('{"after":"1","columns":[]}').toString('base64url'),
      Buffer.from('{}').toString('base64url'),
    ]) {
      expect(await api.refusal(query, { id, kind: words.kind, after })).toMatchObject({ code: 'INVALID_INPUT' });
    }
    expect(await api.refusal(query, { id, kind: 'product-enrichment' })).toMatchObject({ code: 'NOT_FOUND' });
    expect((await post(`${jobs}/${id}/download`)).status).toBe(405);
  });
});

const read = (csv: string): string[][] => parse(csv, { record_delimiter: '\r\n' });

/** A finished job whose only item can have any values. */
async function ended(words: Words) {
  const seeded = await seedLabels(words);
  const { job } = await seeded.enrich([{ name: 'Nobody' }], { useWebsearch: false });
  return {
    ...seeded,
    id: job.id as string,
    rewrite: (values: object) =>
      database().query(`update catalog.job_items set status = 'completed', enriched_data = $1 where job_id = $2`, [
        JSON.stringify(values),
        job.id,
      ]),
  };
}
