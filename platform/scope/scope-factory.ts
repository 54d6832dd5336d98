import type { RequestContext } from 'compiled-gateway';
import { GraphQLError } from 'graphql';
import type { Services } from '../subgraph/index.ts';
import { selectOrganization } from './caller.ts';
import { RequestScope } from './scope.ts';

/** Milliseconds that a scope is reused. A body may arrive minutes after its admission, and the key be revoked meanwhile. */
const MAX_AGE = 2_000;

/** Creates the scope of a request. In-process subgraphs share it by the context object. */
export function scopeFactory(services: Services): (request: RequestContext) => Promise<RequestScope> {
  const cache = new WeakMap<RequestContext, { createdAt: number; scope: Promise<RequestScope> }>();
  return (request) => {
    const cached = cache.get(request);
    const now = performance.now();
    if (cached && now - cached.createdAt < MAX_AGE) return cached.scope;
    const scope = createScope(services, request);
    cache.set(request, { createdAt: now, scope });
    return scope;
  };
}

async function createScope(services: Services, request: RequestContext): Promise<RequestScope> {
  const who = await services.callers.identify(request.headers).catch((error: unknown) => {
    if (error instanceof GraphQLError) return error;
    throw error;
  });
  if (who instanceof Error) return new RequestScope(services, request, who, who);
  return new RequestScope(services, request, who, selectOrganization(who, request.headers['x-organization']));
}
