import type { RequestContext, Source, SourceRequest } from '../contract.ts';

/** A source of someone else: of what the gateway knows about a caller it is sent only the headers that are named. */
export function forwarding(source: Source, names: readonly string[]): Source {
  const narrowed = ({ headers, signal }: RequestContext): RequestContext => {
    const passed: Record<string, string | undefined> = {};
    for (const name of names) if (headers[name] !== undefined) passed[name] = headers[name];
    return { headers: passed, signal };
  };
  const withoutOthers = (request: SourceRequest): SourceRequest => ({ ...request, context: narrowed(request.context) });
  return {
    execute: (request) => source.execute(withoutOthers(request)),
    subscribe: (request) => source.subscribe(withoutOthers(request)),
    close: async () => source.close?.(),
  };
}
