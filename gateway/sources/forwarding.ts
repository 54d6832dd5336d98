import type { RequestContext, Source, SourceRequest } from '../contract.ts';

/** Wrap a source so that it receives only the named request headers. For subgraphs that are not part of the product. */
export function forwarding(source: Source, names: readonly string[]): Source {
  // Sources cache by the context and its headers, so the requests of one operation share the copy.
  const copies = new WeakMap<RequestContext, RequestContext>();
  const forwardedContext = (context: RequestContext): RequestContext => {
    let copy = copies.get(context);
    if (!copy) {
      const headers: Record<string, string | undefined> = {};
      for (const name of names) if (context.headers[name] !== undefined) headers[name] = context.headers[name];
      copy = { ...context, headers };
      copies.set(context, copy);
    }
    return copy;
  };
  const narrow = (request: SourceRequest): SourceRequest => ({ ...request, context: forwardedContext(request.context) });
  return {
    execute: (request) => source.execute(narrow(request)),
    subscribe: (request) => source.subscribe(narrow(request)),
    close: async () => source.close?.(),
  };
}
