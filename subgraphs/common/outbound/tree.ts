import { DomHandler, Parser } from 'htmlparser2';

/** A node of a parsed page, as far as reading needs it. */
export interface PageNode {
  type: string;
  name?: string;
  data?: string;
  attribs?: Record<string, string>;
  children?: PageNode[];
}

/** Browsers stop nesting here too. It bounds the parser's stack, which it searches for each closing tag, and our recursion. */
const deepest = 512;
/** Several times the largest real pages; bounds how long reading holds up everything else in the process. */
const mostElements = 200_000;

class BoundedTree extends DomHandler {
  readonly reader: Parser = new Parser(this);
  private count = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    this.count += 1;
    // Nobody reads a page that is built this way: what was read so far is all there will be.
    if (this.tagStack.length > deepest || this.count > mostElements) this.reader.pause();
  }
}

/** HTML as a tree that can be walked without fear, however it was written. */
export function parseHtml(html: string): PageNode {
  const tree = new BoundedTree();
  tree.reader.end(html);
  return tree.root as PageNode;
}

/** Every element, in the order of the page. */
export function* elements(root: PageNode): Generator<PageNode> {
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.name) yield node;
    for (const child of node.children?.toReversed() ?? []) waiting.push(child);
  }
}
