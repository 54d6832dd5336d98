import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOfflineModel } from '../../start/offline-model/offline-model.ts';
import { listen } from './listen.ts';

/**
 * A model server that answers the offline model's answers one after the other, each after some time, and queues the rest. It never
 * answers 429. Like llama.cpp and Ollama, it drops requests whose connection is closed.
 */
export async function startQueueingProvider(answerMs: number) {
  const model = await startOfflineModel();
  const queue: { response: ServerResponse; work: () => Promise<void> }[] = [];
  const counts = { answered: 0, dropped: 0, open: 0 };
  const answered: { body: string; behind: number }[] = [];
  let isBusy = false;
  let pause = Promise.withResolvers<void>();
  pause.resolve();

  const serveNext = async () => {
    if (isBusy) return;
    isBusy = true;
    for (let next = queue.shift(); next; next = queue.shift()) {
      // A request is dropped while it waits, or in the middle of its answer.
      if (next.response.destroyed) continue;
      await Promise.race([pause.promise.then(() => sleep(answerMs)), once(next.response, 'close')]);
      if (!next.response.destroyed) await next.work();
    }
    isBusy = false;
  };
  const server = createServer(async (request, response) => {
    let body = '';
    counts.open += 1;
    const before = counts.answered;
    // Before the body is read, because the client may leave meanwhile.
    response.on('close', () => {
      counts.open -= 1;
      if (response.writableFinished) answered.push({ body, behind: counts.answered - before });
      if (response.writableFinished) counts.answered += 1;
      else counts.dropped += 1;
    });
    body = await text(request).catch(() => '');
    const work = async () => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(model.url.replace('/v1', '') + request.url, { method: 'POST', body, headers });
      const content = Buffer.from(await answer.arrayBuffer());
      if (response.destroyed) return;
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
      response.end(content);
      await once(response, 'close').catch(() => {});
    };
    queue.push({ response, work });
    void serveNext();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** Requests that were answered, whose connection was closed before, and that wait. */
    counts,
    /** For each answered request that contains the text, the number of others that were answered while it waited. */
    waitsOf: (text: string) => answered.flatMap(({ body, behind }) => (body.includes(text) ? [behind] : [])),
    /** Answers nothing until `resume`. */
    pause() {
      pause = Promise.withResolvers();
    },
    resume: () => pause.resolve(),
    async close() {
      server.closeAllConnections();
      server.close();
      await model.close();
    },
  };
}
