import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../../start/servers/processes.ts';
import { readDocument, requireDistinct } from '../../start/site-import/importer.ts';
import { root } from '../structure/files.ts';
import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';

const files: Record<string, string> = {
  'index.md': '# Welcome\n\nA **site**.\n\n<script>alert(1)</script>\n',
  'company/About Us.md': '---\ntitle: About\ndescription: Who we are\n---\nWe are.\n',
  'posts/2026-11-22-hello.md':
    '---\ntitle: Hello\nauthor: Ada Lovelace\ncategories: [News, "Tips & Tricks"]\nexcerpt: First\n---\nText\n',
  'posts/later.md': '---\ntitle: Later\ndraft: true\nauthor: Ada Lovelace\ntags: News\n---\nText\n',
  'notes.txt': 'not imported',
};
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-graph-import-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a folder is imported twice without doubles, and later changes are taken over', async () => {
  const { key } = await seedOrganization();
  const { graphql } = caller(key);
  const { made: workspace } = await graphql('mutation { made: createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const text = 'mutation ($id: ID!) { made: createSite(input: { workspaceId: $id, name: "S", slug: "s" }) { id } }';
  const { made: site } = await graphql(text, workspace);
  const importing = async () => {
    const args = ['--import', './start/typescript.mjs', 'start/import-site.ts', folder, '--site', site.id, '--key', key];
    const { code, output } = await run(process.execPath, [...args, '--url', process.env.TEST_URL!], { cwd: root });
    expect(output).toContain('4/4 files');
    return { code, last: output.trim().split('\n').at(-1) };
  };
  expect(await importing()).toEqual({ code: 0, last: '4 created, 0 updated, 0 unchanged' });
  expect(await importing()).toEqual({ code: 0, last: '0 created, 0 updated, 4 unchanged' });
  await writeFile(join(folder, 'index.md'), '# Welcome\n\nA better site.\n');
  expect(await importing()).toEqual({ code: 0, last: '0 created, 1 updated, 3 unchanged' });

  const { pages, posts } = await graphql(
    `query ($site: ID!) {
      pages(siteId: $site, status: all) { nodes { path title status content seo { description } } }
      posts(siteId: $site, status: all) { nodes { slug title status excerpt author { name } categories { name } } }
    }`,
    { site: site.id },
  );
  expect(pages.nodes).toEqual([
    {
      path: '/',
      title: 'Welcome',
      status: 'published',
      content: '<h1>Welcome</h1>\n<p>A better site.</p>\n',
      seo: { description: null },
    },
    {
      path: '/company/about-us',
      title: 'About',
      status: 'published',
      content: '<p>We are.</p>\n',
      seo: { description: 'Who we are' },
    },
  ]);
  const author = { name: 'Ada Lovelace' };
  expect([...posts.nodes].sort((a, b) => (a.slug < b.slug ? -1 : 1))).toEqual([
    {
      slug: 'hello',
      title: 'Hello',
      status: 'published',
      excerpt: 'First',
      author,
      categories: [{ name: 'News' }, { name: 'Tips & Tricks' }],
    },
    { slug: 'later', title: 'Later', status: 'draft', excerpt: '', author, categories: [{ name: 'News' }] },
  ]);
});

test.each([
  ['---\ntype: book\n---\n', 'a.md: type must be page or post'],
  ['---\n- a\n---\n', 'a.md: the front matter must consist of keys and values'],
  ['---\nslug: "***"\n---\n', "a.md: '***' contains no letter or digit for a slug"],
])('%j is refused with the name of its file', (text, message) => {
  expect(() => readDocument('a.md', text)).toThrow(message);
});

test('two files of one page or post are refused, because one would overwrite the other', () => {
  const documents = (...names: string[]) => names.map((name) => readDocument(name, 'Text'));
  expect(() => requireDistinct(documents('posts/2025-01-01-hello.md', 'posts/2026-01-01-hello.md'))).toThrow(
    'posts/2025-01-01-hello.md and posts/2026-01-01-hello.md are both the post hello',
  );
  expect(() => requireDistinct(documents('about.md', 'about/index.md'))).toThrow(
    'about.md and about/index.md are both the page /about',
  );
  expect(() => requireDistinct(documents('hello.md', 'posts/hello.md', 'blog/index.md'))).not.toThrow();
});

test('a byte order mark is no part of the text', () => {
  expect(readDocument('about.md', '\ufeff# About us\n\nHello')).toMatchObject({
    title: 'About us',
    content: '<h1>About us</h1>\n<p>Hello</p>\n',
  });
  expect(readDocument('about.md', '\ufeff---\ntitle: About\n---\nHello').title).toBe('About');
});

test('an empty heading is no title', () => {
  expect(readDocument('about.md', '#\n\nHello').title).toBe('about');
});

test('a comment in a code block is no title', () => {
  expect(readDocument('setup.md', '```sh\n# install first\n```\n\n# Set up\n').title).toBe('Set up');
});
