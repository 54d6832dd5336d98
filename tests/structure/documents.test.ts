import { existsSync, globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root, textOf } from './files.ts';

const pages = globSync(['*.md', '*/README.md', 'docs/**/*.md', 'gateway/**/*.md', 'web/*/README.md'], {
  cwd: root,
  exclude: ['node_modules'],
});
const linesOf = (page: string) => textOf(page).split('\n').length - 1;
const withoutCode = (page: string) => textOf(page).replace(/```[\s\S]*?```/g, '');

/** The anchors of the headings of a page, as GitHub makes them. */
const anchorsOf = (page: string) =>
  [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

function isValid(page: string, link: string): boolean {
  const [path, anchor] = link.split('#');
  const target = path ? normalize(join(dirname(page), path)) : page;
  return existsSync(join(root, target)) && (!anchor || anchorsOf(target).includes(anchor));
}

test.each(pages)('the links of %s lead somewhere', (page) => {
  const links = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!).filter((link) => !/^\w+:/.test(link));
  expect(links.filter((link) => !isValid(page, link))).toEqual([]);
});

test.each(pages)('the files that %s names exist', (page) => {
  const named = [
    ...withoutCode(page).matchAll(
      /`((?:bench|deploy|docs|gateway|platform|server|start|subgraphs|tests|web|workflows)\/[\w./-]+)`/g,
    ),
  ];
  expect(
    named
      .map(([, path]) => path!)
      .filter((path) => ![root, join(root, dirname(page))].some((folder) => existsSync(join(folder, path)))),
  ).toEqual([]);
});

test('pages are short', () => {
  // The page of the gateway is that of a package of its own.
  const isFolderPage = (page: string) => /^\w[\w-]*\/README\.md$/.test(page) && page !== 'gateway/README.md';
  const limitOf = (page: string) => (page.startsWith('docs/decisions/') ? 150 : isFolderPage(page) ? 39 : 250);
  expect(pages.filter((page) => linesOf(page) > limitOf(page))).toEqual([]);
});
