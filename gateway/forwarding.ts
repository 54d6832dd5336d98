import type { RequestContext, Source, SourceRequest } from '../schema/request.ts';

/** A source of someone else: of what the gateway knows about a caller it is sent only the headers that are named. */
export function forwarding(source: Source, names: readonly string[]): Source {
  const narrowed = ({ headers, signal }: RequestContext): RequestContext => ({
    headers: Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
    signal,
  });
  const withoutOthers = (request: SourceRequest): SourceRequest => ({ ...request, context: narrowed(request.context) });
  return {
    execute: (request) => source.execute(withoutOthers(request)),
    subscribe: (request) => source.subscribe(withoutOthers(request)),
    close: async () => source.close?.(),
  };
}
