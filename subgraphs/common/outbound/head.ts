import { elements, type PageNode } from './tree.ts';

/** What a page says of itself for machines, wherever in it that stands. */
export interface Head {
  title: string;
  base: string;
  meta: { name: string; content: string }[];
  /** The documents of its JSON-LD. */
  statements: unknown[];
}

/** One walk for everything: a selector engine takes quadratic time on a page of many siblings. */
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
    if (name === 'script' && attribs.type === 'application/ld+json') head.statements.push(parsed(innerText(element)));
  }
  return { ...head, title: head.title || heading };
}

function innerText({ type, data = '', children = [] }: PageNode): string {
  return type === 'text' ? data : children.map(innerText).join('');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
