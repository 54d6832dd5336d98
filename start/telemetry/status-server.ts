import { createServer } from 'node:http';

export interface StatusAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** Serve GET and HEAD requests of an operator on a separate port. `answer` gets the path; undefined is 404. */
export async function serveStatus(
  host: string,
  port: number,
  answer: (path: string) => Promise<StatusAnswer> | undefined,
): Promise<{ close(): Promise<void> }> {
  const server = createServer(async ({ url, method }, response) => {
    const found = method === 'GET' || method === 'HEAD' ? await answer(url!.split('?', 1)[0]!) : undefined;
    if (!found) return response.writeHead(404).end();
    response.writeHead(found.status, { 'content-type': found.contentType }).end(found.body);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
