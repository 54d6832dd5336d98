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
/** How often a page may exceed the depth. The rest is not read. */
const MAX_PARTS = 64;

/** The tree of a page up to the tag that exceeds a limit. */
class BoundedTree extends DomHandler {
  /** Characters that were read, if a limit was exceeded. */
  end: number | undefined;
  /** Elements that the tree may still have. */
  left: number;
  private readonly reader: Parser = new Parser(this);

  constructor(html: string, left: number) {
    super();
    this.left = left;
    this.reader.end(html);
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    this.left -= 1;
    if (this.tagStack.length <= MAX_DEPTH && this.left > 0) return;
    this.end = this.reader.endIndex + 1;
    this.reader.pause();
  }
}

/** Parse HTML to a tree of bounded depth and size. A page that nests deeper goes on at its root, as if the open elements had ended. */
export function parseHtml(html: string): PageNode {
  let tree = new BoundedTree(html, MAX_ELEMENTS);
  const root = tree.root as PageNode;
  let rest = html;
  for (let part = 1; part < MAX_PARTS && tree.end !== undefined && tree.left > 0; part += 1) {
    rest = rest.slice(tree.end);
    tree = new BoundedTree(rest, tree.left);
    for (const child of tree.root.children) root.children!.push(child as PageNode);
  }
  return root;
}

/** All nodes in document order. */
export function* nodes(root: PageNode): Generator<PageNode> {
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node;
    for (const child of node.children?.toReversed() ?? []) stack.push(child);
  }
}
