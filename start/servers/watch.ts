import { setTimeout as wait } from 'node:timers/promises';
import { Restarts } from './restarts.ts';

const limits = { attempts: 10, waitsMs: [250, 500, 1_000, 2_000, 4_000, 8_000], steadyMs: 30_000 };

/** A server that may exit unexpectedly. */
export interface Server {
  /** Resolves when the process has exited. */
  ended(): Promise<unknown>;
  stop(): Promise<void>;
}

interface Options {
  name: string;
  server: Server;
  /** Restart the server at the same address. */
  restart: () => Promise<Server>;
  /** Called with a terminal line when the server exits and when it has restarted. */
  onLine: (text: string) => void;
  /** Called when the server has failed too often to restart. */
  onFailed: (error: Error) => void;
}

export interface WatchedServer {
  /** Resolves immediately while the server runs, or when it has restarted. */
  running(): Promise<void>;
  stop(): Promise<void>;
}

/** Restart a server whenever its process exits, until `stop` is called. */
export function watchServer({ name, server, restart, onLine, onFailed }: Options): WatchedServer {
  const restarts = new Restarts(limits);
  const stopped = new AbortController();
  let current = server;
  let running = Promise.resolve();
  let starting: Promise<Server> | undefined;

  /** Returns undefined if the server was stopped during the restart. */
  const recover = async (): Promise<Server | undefined> => {
    let cause: unknown;
    for (let delay = restarts.next(); delay !== undefined; delay = restarts.next()) {
      await wait(delay, undefined, { signal: stopped.signal }).catch(() => {});
      if (stopped.signal.aborted) return undefined;
      restarts.begin();
      try {
        starting = restart();
        return await starting;
      } catch (error) {
        cause = error;
      }
    }
    throw new Error(`${name} could not be restarted: ${(cause as Error).message}`);
  };

  const watch = async () => {
    restarts.begin();
    for (;;) {
      restarts.ready();
      await current.ended();
      if (stopped.signal.aborted) return;
      onLine(`${name} exited unexpectedly; restarting`);
      const back = Promise.withResolvers<void>();
      running = back.promise;
      const next = await recover();
      if (!next) return;
      current = next;
      back.resolve();
      if (!stopped.signal.aborted) onLine(`${name} is running again`);
    }
  };
  watch().catch(onFailed);

  return {
    running: () => running,
    async stop() {
      stopped.abort();
      const last = await starting?.catch(() => undefined);
      await (last ?? current).stop();
    },
  };
}
