import { DomHandler, Parser } from 'htmlparser2';

/** A node of a parsed page. */
export interface PageNode {
  type: string;
  name?: string;
  data?: string;
  attribs?: Record<string, string>;
  children?: PageNode[];
}

/** The limit of browsers. Bounds our recursion and the parser's stack, which it searches for each closing tag. */
const MAX_DEPTH = 512;
/** Several times the size of the largest real pages. Bounds how long parsing takes. */
const MAX_ELEMENTS = 200_000;

class BoundedTree extends DomHandler {
  readonly reader: Parser = new Parser(this);
  private count = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    this.count += 1;
    // No real page exceeds these limits, so truncate it here.
    if (this.tagStack.length > MAX_DEPTH || this.count > MAX_ELEMENTS) this.reader.pause();
  }
}

/** Parse HTML to a tree of bounded depth and size. */
export function parseHtml(html: string): PageNode {
  const tree = new BoundedTree();
  tree.reader.end(html);
  return tree.root as PageNode;
}

/** All nodes in document order. */
export function* nodes(root: PageNode): Generator<PageNode> {
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node;
    for (const child of node.children?.toReversed() ?? []) stack.push(child);
  }
}
