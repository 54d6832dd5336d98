import type { RequestContext, Source, SourceRequest } from '../contract.ts';

/** Wrap a source so that it receives only the named request headers. For subgraphs that are not part of the product. */
export function forwarding(source: Source, names: readonly string[]): Source {
  const forwardedContext = ({ headers, signal }: RequestContext): RequestContext => {
    const passed: Record<string, string | undefined> = {};
    for (const name of names) if (headers[name] !== undefined) passed[name] = headers[name];
    return { headers: passed, signal };
  };
  const narrow = (request: SourceRequest): SourceRequest => ({ ...request, context: forwardedContext(request.context) });
  return {
    execute: (request) => source.execute(narrow(request)),
    subscribe: (request) => source.subscribe(narrow(request)),
    close: async () => source.close?.(),
  };
}
