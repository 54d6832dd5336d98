import { type GivenConfiguration, type Plugin, serve } from 'compiled-gateway/serve';
import { parse } from 'graphql';
import { compose, federate, link, type Subgraph } from '../support/federation.ts';
import { serve as serveSubgraph } from '../support/serve.ts';

/** Closes what a test file has started. */
export const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

export type ServedSubgraph = Awaited<ReturnType<typeof serveSubgraph>>;

/** Serve subgraphs on ports of their own, and compose them. */
export async function subgraphsOf(subgraphs: readonly Subgraph[]) {
  const { schemas } = federate(subgraphs);
  const servers: Record<string, ServedSubgraph> = {};
  for (const { name } of subgraphs) {
    servers[name] = await serveSubgraph(schemas[name]!, { admits: () => true });
    stack.defer(async () => void (await servers[name]!.close()));
  }
  const supergraph = compose(
    subgraphs.map(({ name, typeDefs }) => ({ name, url: servers[name]!.url, typeDefs: parse(link + typeDefs) })),
  );
  return { servers, supergraph };
}

export interface Answered {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response
  body: any;
}

/** Serve a configuration on a free port. */
export async function served(given: GivenConfiguration, plugins: Plugin[] = []) {
  const running = await serve({ log: { level: 'silent' }, ...given, server: { port: 0, ...given.server } }, plugins);
  stack.defer(() => running.close());
  const { url } = running;
  const send = async (body: unknown, headers: Record<string, string> = {}): Promise<Answered> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    ...running,
    send,
    ask: (query: string, headers?: Record<string, string>) => send({ query }, headers),
  };
}
