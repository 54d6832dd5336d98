import type { RequestContext, Source, SourceRequest } from '../source-contract.ts';

type Headers = Record<string, string | undefined>;

/** Wrap a source so that it receives other request headers than the caller sent. */
export function withHeaders<Context extends RequestContext>(source: Source, headersOf: (context: Context) => Headers): Source {
  // Sources cache by the context and its headers, so the requests of one operation share the copy.
  const copies = new WeakMap<RequestContext, RequestContext>();
  const contextOf = (context: RequestContext): RequestContext => {
    let copy = copies.get(context);
    if (!copy) {
      copy = { ...context, headers: headersOf(context as Context) };
      copies.set(context, copy);
    }
    return copy;
  };
  const changed = (request: SourceRequest): SourceRequest => ({ ...request, context: contextOf(request.context) });
  return {
    execute: (request) => source.execute(changed(request)),
    subscribe: (request) => source.subscribe(changed(request)),
    close: async () => source.close?.(),
  };
}

/** Wrap a source so that it receives only the named request headers. For subgraphs that are not part of the product. */
export const forwarding = (source: Source, names: readonly string[]): Source =>
  withHeaders(source, ({ headers }) => pick(headers, names));

/** The headers with these names. */
export function pick(headers: RequestContext['headers'], names: readonly string[]): Headers {
  const picked: Headers = {};
  for (const name of names) if (headers[name] !== undefined) picked[name] = headers[name];
  return picked;
}
