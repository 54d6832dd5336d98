import { Readable } from 'node:stream';
import type { Answer } from 'compiled-gateway';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from './endpoint.ts';
import { CURSOR } from './route.ts';

/** What the operation of such a row gives: one page of a table. */
interface FilePage {
  name: string;
  columns: string[];
  rows: string[][];
  /** The cursor of the next page. */
  next: string | null;
}

/** Answer with a CSV file, page by page: the next one is read when the caller has taken the last. */
export function sendFile(
  { operation, payload, route }: Endpoint,
  variables: Record<string, unknown>,
  text: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const first = JSON.parse(text) as FilePage;
  const nextPage = async (after: string) =>
    pageOf(await request.lifetime.within(operation.execute({ ...variables, [CURSOR]: after }, request.context)), payload);
  const stream = Readable.from(linesOf(first, nextPage), { objectMode: false });
  // What was sent cannot be taken back: the connection is cut, so that nobody takes a part for the whole.
  stream.once('error', (err) => request.log.error({ err }, `${route.name}: the file was cut short`));
  return reply
    .code(route.row.status ?? 200)
    .type('text/csv; charset=utf-8')
    .header('content-disposition', attachment(first.name))
    .send(stream);
}

function pageOf(answer: Answer, payload: Endpoint['payload']): FilePage {
  const text = payload(answer);
  if (text === undefined) throw new Error(answer.errors?.[0]?.message ?? 'there is no next page');
  return JSON.parse(text) as FilePage;
}

async function* linesOf(first: FilePage, nextPage: (after: string) => Promise<FilePage>): AsyncGenerator<string> {
  yield csv([first.columns, ...first.rows]);
  for (let { next } = first; next !== null; ) {
    const page = await nextPage(next);
    if (page.rows.length > 0) yield csv(page.rows);
    next = page.next;
  }
}

/** RFC 4180. A line break of any kind is quoted, not only the one that ends a record. */
const csv = (rows: string[][]) => stringify(rows, { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

/** Old clients read the plain name, all others the one in UTF-8. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\/%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
