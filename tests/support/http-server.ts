import { createServer, type RequestListener } from 'node:http';
import { listen } from './listen.ts';

const closing: (() => void)[] = [];
// Scripts use servers too, until they exit.
if ('afterAll' in globalThis)
  afterAll(() => {
    for (const close of closing) close();
  });

/** A real local server that closes after the tests of the file. */
export async function serve(answer: RequestListener) {
  const server = createServer(answer);
  const port = await listen(server);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}
