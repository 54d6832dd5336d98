import { parseExactly } from '../../../schema/json.ts';
import { elements, type PageNode } from './tree.ts';

/** The machine-readable metadata of a page. */
export interface Head {
  title: string;
  base: string;
  meta: { name: string; content: string }[];
  /** Parsed JSON-LD documents. */
  statements: unknown[];
}

/** Read the metadata in one traversal: a selector engine takes quadratic time on pages with many siblings. */
export function readHead(root: PageNode): Head {
  const head: Head = { title: '', base: '', meta: [], statements: [] };
  let heading = '';
  for (const element of elements(root)) {
    const { name, attribs = {} } = element;
    if (name === 'title') head.title ||= innerText(element);
    if (name === 'h1') heading ||= innerText(element);
    if (name === 'base') head.base ||= attribs.href ?? '';
    if (name === 'meta')
      head.meta.push({ name: (attribs.property ?? attribs.name ?? '').toLowerCase(), content: attribs.content ?? '' });
    if (name === 'script' && attribs.type === 'application/ld+json') head.statements.push(parseJson(innerText(element)));
  }
  return { ...head, title: head.title || heading };
}

function innerText({ type, data = '', children = [] }: PageNode): string {
  return type === 'text' ? data : children.map(innerText).join('');
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
