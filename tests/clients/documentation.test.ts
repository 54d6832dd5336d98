import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, textOf } from '../structure/files.ts';
import { color, seedCatalog } from '../support/enrichment.ts';

test('the code of the GraphQL page runs', async () => {
  const { key, slug } = await seedCatalog([color]);
  const blocks = [...textOf('docs/graphql.md').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
  // In the project, so that its packages resolve.
  const file = join(root, `node_modules/.cache/graphql-page-${slug}.mjs`);
  await writeFile(file, blocks.join('\n'));
  const { code, text } = await run(file, { CATALOG_URL: process.env.TEST_URL!, CATALOG_KEY: key });
  await rm(file);
  expect([code, text.split('\n').filter(Boolean)]).toEqual([
    0,
    [
      `organization ${slug}`,
      'NOT_FOUND: Product not found',
      'product DOC-0',
      'product DOC-1',
      'product DOC-2',
      'costs at most 3',
      'job ended, sequence true',
      'uploaded colors.csv',
      'reviewed without failures true',
    ],
  ]);
});

function run(file: string, env: Record<string, string>): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { cwd: root, env: { PATH: process.env.PATH, ...env } });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('close', (code) => resolve({ code, text }));
  });
}
