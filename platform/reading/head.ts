import { parseExactly } from '../../schema/json.ts';
import { nodes, type PageNode } from './tree.ts';

/** The machine-readable metadata of a page. */
export interface Head {
  title: string;
  base: string;
  meta: { name: string; content: string }[];
  /** Parsed JSON-LD documents. */
  statements: unknown[];
}

/** Elements of the metadata that contain text. */
const TEXTUAL = new Set(['title', 'h1', 'script']);

/** Read the metadata in one traversal: a selector engine takes quadratic time on pages with many siblings. */
export function readHead(root: PageNode): Head {
  const head: Head = { title: '', base: '', meta: [], statements: [] };
  let heading = '';
  /** The text within an element was read with it, so each text is read once, however deep the elements are nested. */
  const read = (element: PageNode): void => {
    const { name, attribs = {} } = element;
    if (name === 'title') head.title ||= innerText(element);
    if (name === 'h1') heading ||= innerText(element);
    if (name === 'script' && attribs.type === 'application/ld+json') head.statements.push(parseJson(innerText(element)));
  };
  const stack: { node: PageNode; within: readonly string[] }[] = [{ node: root, within: [] }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node } = next;
    let { within } = next;
    const { name = '', attribs = {} } = node;
    if (TEXTUAL.has(name) && !within.includes(name)) {
      read(node);
      within = [...within, name];
    }
    if (name === 'base') head.base ||= attribs.href ?? '';
    if (name === 'meta')
      head.meta.push({ name: (attribs.property ?? attribs.name ?? '').toLowerCase(), content: attribs.content ?? '' });
    for (const child of node.children?.toReversed() ?? []) if (child.type !== 'text') stack.push({ node: child, within });
  }
  return { ...head, title: head.title || heading };
}

function innerText(element: PageNode): string {
  const texts: string[] = [];
  for (const { type, data = '' } of nodes(element)) if (type === 'text') texts.push(data);
  return texts.join('');
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
