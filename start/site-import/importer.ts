import { marked, type Tokens } from 'marked';
import { parse } from 'yaml';
import { sanitizeOrThrow } from '../../platform/reading/sanitize.ts';
import { slugOf } from '../../schema/text.ts';
import type { Api } from '../sample/sample-client.ts';

interface Stored {
  id: string;
  version: number;
  status: string;
  title: string;
  slug: string;
  content: string;
  path?: string;
  seo?: { title: string | null; description: string | null };
  excerpt?: string;
  coverImage?: string | null;
  author?: { id: string } | null;
  categories?: { id: string }[];
}

export type ImportOutcome = 'created' | 'updated' | 'unchanged';

const COMMON = 'id version status title slug content';
const FIELDS = {
  page: `${COMMON} path seo { title description }`,
  post: `${COMMON} excerpt coverImage author { id } categories { id }`,
};
const NAMES = { page: 'Page', post: 'Post' };

/** Writes documents into a site over GraphQL. A document of a known path or slug updates its page or post, so an import can run again. */
export class SiteImporter {
  readonly #stored = new Map<string, Stored>();
  readonly #labels = new Map<string, string>();

  private constructor(
    private readonly api: Api,
    private readonly siteId: string,
  ) {}

  /** Reads the content that the site has. */
  static async open(api: Api, siteId: string): Promise<SiteImporter> {
    const importer = new SiteImporter(api, siteId);
    for (const page of await importer.#readAll<Stored>('pages', FIELDS.page, ', status: all'))
      importer.#stored.set(`page ${page.path}`, page);
    for (const post of await importer.#readAll<Stored>('posts', FIELDS.post, ', status: all'))
      importer.#stored.set(`post ${post.slug}`, post);
    for (const list of ['postAuthors', 'postCategories'])
      for (const { id, slug } of await importer.#readAll<Stored>(list, 'id slug')) importer.#labels.set(`${list} ${slug}`, id);
    return importer;
  }

  /** Create or update the page or post of a document, and publish it unless it is a draft. */
  async write(document: SiteDocument): Promise<ImportOutcome> {
    const { type, draft } = document;
    const key = keyOf(document);
    const input = type === 'page' ? pageInput(document) : await this.#postInput(document);
    const known = this.#stored.get(key);
    const isChanged =
      known !== undefined && Object.entries(input).some(([name, value]) => !isSame(storedValue(known, name), value));
    let record = known;
    if (!known) {
      const text = `mutation ($siteId: ID!, $input: New${NAMES[type]}!) { made: create${NAMES[type]}(siteId: $siteId, input: $input) { ${FIELDS[type]} } }`;
      record = await this.#made(text, { siteId: this.siteId, input });
    } else if (isChanged) {
      const text = `mutation ($id: ID!, $version: Int!, $input: ${NAMES[type]}Change!) {
        made: update${NAMES[type]}(id: $id, version: $version, input: $input) { ${FIELDS[type]} } }`;
      record = await this.#made(text, { id: known.id, version: known.version, input });
    }
    const publishes = !draft && record!.status !== 'published';
    if (publishes)
      record = await this.#made(`mutation ($id: ID!) { made: publish${NAMES[type]}(id: $id) { ${FIELDS[type]} } }`, {
        id: record!.id,
      });
    this.#stored.set(key, record!);
    if (!known) return 'created';
    return isChanged || publishes ? 'updated' : 'unchanged';
  }

  async #postInput({ title, slug, content, excerpt, coverImage, author, categories }: SiteDocument) {
    const authorId = author ? await this.#label('postAuthors', 'createPostAuthor', 'NewAuthor', author) : null;
    const categoryIds: string[] = [];
    for (const name of categories)
      categoryIds.push(await this.#label('postCategories', 'createPostCategory', 'NewPostCategory', name));
    return { title, slug, content, excerpt, coverImage, authorId, categoryIds: [...new Set(categoryIds)] };
  }

  /** The id of an author or category, which is created if it is missing. */
  async #label(list: string, create: string, type: string, name: string): Promise<string> {
    const slug = requireSlug(name);
    const known = this.#labels.get(`${list} ${slug}`);
    if (known) return known;
    const text = `mutation ($siteId: ID!, $input: ${type}!) { made: ${create}(siteId: $siteId, input: $input) { id } }`;
    const { id } = await this.#made(text, { siteId: this.siteId, input: { name, slug } });
    this.#labels.set(`${list} ${slug}`, id);
    return id;
  }

  async #readAll<T>(list: string, fields: string, more = ''): Promise<T[]> {
    const all: T[] = [];
    const position = { cursor: '0', hasMore: true };
    while (position.hasMore) {
      const text = `query ($siteId: ID!, $since: String) {
        list: ${list}(siteId: $siteId, since: $since, perPage: 100${more}) { nodes { ${fields} } meta { cursor hasMore } } }`;
      const { list: page } = await this.api.run<{ list: { nodes: T[]; meta: { cursor: string; hasMore: boolean } } }>(text, {
        siteId: this.siteId,
        since: position.cursor,
      });
      all.push(...page.nodes);
      Object.assign(position, page.meta);
    }
    return all;
  }

  async #made(text: string, variables: Record<string, unknown>): Promise<Stored> {
    return (await this.api.run<{ made: Stored }>(text, variables)).made;
  }
}

const pageInput = ({ title, slug, path, content, description }: SiteDocument) => ({
  title,
  slug,
  path,
  content,
  seo: { title: null, description },
});

function storedValue(stored: Stored, name: string): unknown {
  if (name === 'authorId') return stored.author?.id ?? null;
  if (name === 'categoryIds') return stored.categories?.map(({ id }) => id);
  return stored[name as keyof Stored] ?? null;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A Markdown file as a page or a post of a site. */
interface SiteDocument {
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
    const slug = requireSlug(
      textOf(values.slug) ?? (isIndex ? (folders.at(-1) ?? 'index') : name.replace(/^\d{4}-\d{2}-\d{2}-/, '')),
    );
    const segments = [...folders.map(requireSlug), ...(isIndex ? [] : [slug])];
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
const keyOf = ({ type, path, slug }: SiteDocument): string => (type === 'page' ? `page ${path}` : `post ${slug}`);

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

/** Throws if the text has no letter or digit for a slug. */
function requireSlug(text: string): string {
  const slug = slugOf(text, 128);
  if (!slug) throw new Error(`'${text}' contains no letter or digit for a slug`);
  return slug;
}
