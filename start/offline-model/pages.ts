import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { RequestError } from './protocol.ts';

const folder = new URL('../sample/pages/', import.meta.url);

/** Serve a product page of the sample catalog as a source URL. */
export async function samplePage(response: ServerResponse, path: string): Promise<void> {
  const page = await readFile(new URL(basename(path), folder)).catch(() => {
    throw new RequestError(404, `There is no page ${path}`, 'not_found');
  });
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}
