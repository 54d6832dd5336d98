import { fail } from '../schema/errors.ts';
import type { Endpoint } from './endpoint.ts';

/** Create a function that selects the endpoint by the `action` of the body, among endpoints with the same path. */
export function dispatch(sharing: readonly Endpoint[]): (body: unknown) => Endpoint {
  const [only] = sharing;
  if (only && only.route.action === undefined) return () => only;
  const byAction = new Map(sharing.map((each) => [each.route.action, each]));
  const wrong = `action must be one of ${[...byAction.keys()].join(', ')}`;
  return (body) => {
    const { action } = (body ?? {}) as { action?: unknown };
    const found = typeof action === 'string' ? byAction.get(action) : undefined;
    if (!found) throw fail('INVALID_INPUT', wrong);
    return found;
  };
}
