import { marked, type Tokens } from 'marked';
import { parse } from 'yaml';
import { sanitizeOrThrow } from '../../platform/reading/sanitize.ts';

/** A Markdown file as a page or a post of a site. */
export interface SiteDocument {
  /** Path relative to the imported folder, for messages. */
  file: string;
  type: 'page' | 'post';
  title: string;
  slug: string;
  /** Only of a page. */
  path: string;
  /** Sanitized, so that it can be compared with stored content. */
  content: string;
  excerpt: string;
  description: string | null;
  author: string | null;
  categories: string[];
  coverImage: string | null;
  draft: boolean;
}

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * Read a Markdown file with optional YAML front matter: `title`, `slug`, `path`, `type`, `draft`, `excerpt`, `description`, `author`,
 * `categories` or `tags`, and `cover`. A file in a folder `posts` or `blog` is a post by default. Throws an error that names the file.
 */
export function readDocument(file: string, written: string): SiteDocument {
  const text = written.replace(/^\uFEFF/, '');
  try {
    const [head, yaml = ''] = FRONT_MATTER.exec(text) ?? [''];
    const given: unknown = parse(yaml) ?? {};
    if (typeof given !== 'object' || Array.isArray(given)) throw new Error('the front matter must consist of keys and values');
    const values = given as Record<string, unknown>;
    const folders = file.split('/').slice(0, -1);
    const name = file
      .split('/')
      .at(-1)!
      .replace(/\.(md|markdown)$/i, '');
    const type = values.type === undefined ? (/^(posts|blog)$/i.test(folders[0] ?? '') ? 'post' : 'page') : values.type;
    if (type !== 'page' && type !== 'post') throw new Error('type must be page or post');
    const isIndex = name.toLowerCase() === 'index';
    // File names of blogs often start with the date.
    const slug = slugOf(textOf(values.slug) ?? (isIndex ? (folders.at(-1) ?? 'index') : name.replace(/^\d{4}-\d{2}-\d{2}-/, '')));
    const segments = [...folders.map(slugOf), ...(isIndex ? [] : [slug])];
    const markdown = text.slice(head.length);
    return {
      file,
      type,
      slug,
      title: textOf(values.title) ?? textOf(headingOf(markdown)) ?? slug,
      path: textOf(values.path) ?? `/${segments.join('/')}`,
      content: sanitizeOrThrow(marked.parse(markdown, { async: false, gfm: true })),
      excerpt: textOf(values.excerpt) ?? '',
      description: textOf(values.description) ?? null,
      author: textOf(values.author) ?? null,
      categories: [values.categories ?? values.tags ?? []].flat().flatMap((each) => textOf(each) ?? []),
      coverImage: textOf(values.cover) ?? null,
      draft: values.draft === true,
    };
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Identifies the page or post of a document within its site. */
export const keyOf = ({ type, path, slug }: SiteDocument): string => (type === 'page' ? `page ${path}` : `post ${slug}`);

/** Throws an error that names two files of the same page or post: one would overwrite the other. */
export function requireDistinct(documents: readonly SiteDocument[]): void {
  const files = new Map<string, string>();
  for (const document of documents) {
    const key = keyOf(document);
    const other = files.get(key);
    if (other !== undefined) throw new Error(`${other} and ${document.file} are both the ${key}`);
    files.set(key, document.file);
  }
}

/** The first heading of level 1. */
const headingOf = (markdown: string): string | undefined =>
  marked.lexer(markdown).find((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 1)?.text;

const textOf = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number') && String(value).trim() ? String(value).trim() : undefined;

/** A slug of ASCII letters, digits and hyphens. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 128);
  if (!slug) throw new Error(`'${text}' contains no letter or digit for a slug`);
  return slug;
}
