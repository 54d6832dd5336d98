import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { MAX_DEPTH, parseMarkdown } from '../parse-markdown.ts';
import { memo } from './hooks.ts';

/**
 * Markdown as elements. HTML in it stays text, because no HTML is ever parsed. Images are links, because the widget loads nothing from
 * other hosts.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return <div class="markdown">{render(parseMarkdown(text), 0)}</div>;
});

const render = (tokens: readonly Token[] | undefined, depth: number): ComponentChildren =>
  (tokens ?? []).map((token) => element(token as MarkedToken, depth));

function element(token: MarkedToken, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) return token.raw;
  const children = () => render('tokens' in token ? token.tokens : undefined, depth + 1);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p dir="auto">{children()}</p>;
    case 'heading':
      // The levels of the page are unknown, so a heading of a message is only shown as one.
      return (
        <p class={`heading level-${token.depth}`} dir="auto">
          {children()}
        </p>
      );
    case 'strong':
      return <strong>{children()}</strong>;
    case 'em':
      return <em>{children()}</em>;
    case 'del':
      return <del>{children()}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{children()}</blockquote>;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'list':
      return <List list={token} depth={depth} />;
    case 'table':
      return <Table table={token} depth={depth} />;
    case 'link':
      return <Link href={token.href}>{children()}</Link>;
    case 'image':
      return <Link href={token.href}>{token.text || token.href}</Link>;
    case 'html':
      // Models write line breaks so in tables.
      return /^<br\s*\/?>$/i.test(token.text.trim()) ? <br /> : token.text;
    case 'text':
      return token.tokens ? children() : decoded(token.text);
    default:
      return 'text' in token ? decoded(String(token.text)) : token.raw;
  }
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map((item) => (
    <li>
      {item.task && <input type="checkbox" checked={item.checked} disabled aria-label={item.text} />}
      {render(item.tokens, depth + 1)}
    </li>
  ));
  if (!list.ordered) return <ul dir="auto">{items}</ul>;
  return (
    <ol start={list.start || 1} dir="auto">
      {items}
    </ol>
  );
}

function Table({ table, depth }: { table: Tokens.Table; depth: number }) {
  const cells = (row: Tokens.TableCell[]) => row.map(({ tokens }) => render(tokens, depth + 1));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also by keyboard.
    <div class="table" tabIndex={0}>
      <table dir="auto">
        <thead>
          <tr>
            {cells(table.header).map((cell) => (
              <th scope="col">{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr>
              {cells(row).map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00a0' };

/** The parser leaves entities in text. */
const decoded = (text: string): string => text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!);

/** A link that opens in a new tab and learns nothing of the page. Text if its URL is not safe. */
export function Link({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  const url = safeUrl(href);
  if (!url) return <>{children}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">
      {children}
    </a>
  );
}

const PROTOCOLS = ['http:', 'https:', 'mailto:'];

/** The URL of a link. Undefined for other schemes, such as `javascript:`, and for relative addresses. */
export function safeUrl(text: string | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return PROTOCOLS.includes(protocol) ? href : undefined;
}
