import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './files.ts';

const home = join('web', 'dashboard', 'src');
const files = readdirSync(join(root, home), { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
const textOf = (file: string) => readFileSync(join(root, home, file), 'utf8');
const importsOf = (file: string) =>
  [...textOf(file).matchAll(/\b(?:from |import |import\()'(\.[^']+)'/g)].map(([, path]) => normalize(join(dirname(file), path!)));
const pageOf = (path: string) => /^pages\/[^/]+/.exec(path)?.[0];

test('the dashboard imports only its own files, shared ones and the generated types of its documents', () => {
  expect(files.length).toBeGreaterThan(40);
  const strangers = files.flatMap((file) =>
    importsOf(file).filter(
      (path) => path.startsWith('..') && !/^\.\.\/(\.graph\/(gql|graphql)|\.\.\/shared\/[\w-]+)\.ts$/.test(path),
    ),
  );
  expect(strangers).toEqual([]);
});

test('only the hook that keeps data after a failed read uses the hook of the library', () => {
  const users = files.filter((file) => /import \{[^}]*\buseQuery\b[^}]*\} from 'urql'/.test(textOf(file)));
  expect(users).toEqual(['graph/graph-hooks.ts']);
});

test('a page imports no file of another page, and only the routes import pages', () => {
  const strangers = files.flatMap((file) =>
    importsOf(file)
      .filter((path) => pageOf(path) !== undefined && pageOf(path) !== pageOf(file) && !/^(routes|app)\.tsx?$/.test(file))
      .map((path) => `${file} imports ${path}`),
  );
  expect(strangers).toEqual([]);
});

test('every page folder has a page, and a route that loads it', () => {
  const folders = readdirSync(join(root, home, 'pages'));
  const routes = textOf('routes.ts') + textOf('app.tsx');
  expect(folders.filter((folder) => !routes.includes(`./pages/${folder}/page.tsx`))).toEqual([]);
});

test('only sanitized markup is inserted as HTML, and only preferences are stored in the browser', () => {
  const inserting = files.filter((file) => /dangerouslySetInnerHTML|innerHTML|document\.write/.test(textOf(file)));
  expect(inserting.filter((file) => !textOf(file).includes("'dompurify'"))).toEqual([]);
  const stored = files.filter((file) => /localStorage|sessionStorage|document\.cookie/.test(textOf(file)));
  expect(stored.sort()).toEqual(['layout/call-alerts.tsx', 'session/session.tsx', 'strings/strings.tsx']);
});

test('every language has the same files of strings', () => {
  const of = (language: string) => readdirSync(join(root, home, 'strings', language)).sort();
  expect(of('de')).toEqual(of('en'));
});
