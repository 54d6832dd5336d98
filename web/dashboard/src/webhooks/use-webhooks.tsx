import type { CombinedError } from 'urql';
import { useQuery } from '../graph/graph-hooks.ts';
import { Tag } from '../parts/elements.tsx';
import { useStrings } from '../strings/strings.tsx';
import { SITE_WEBHOOKS, SUBSCRIPTIONS, type SurfaceName, WEBHOOKS, type Webhook } from './webhook-surfaces.ts';

interface Webhooks {
  /** Undefined until every surface has answered. */
  webhooks: Webhook[] | undefined;
  /** Surfaces that could not be read. */
  errors: [SurfaceName, CombinedError][];
  retry(): void;
}

/** The webhooks of all surfaces, newest first. A surface that fails does not hide the others. */
export function useWebhooks(): Webhooks {
  const [catalog, retryCatalog] = useQuery({ query: WEBHOOKS });
  const [events, retryEvents] = useQuery({ query: SUBSCRIPTIONS });
  const [sites, retrySites] = useQuery({ query: SITE_WEBHOOKS });
  const answered = [catalog, events, sites].every(({ data, error }) => data || error);
  const all: Webhook[] = [
    ...(catalog.data?.webhooks ?? []).map(({ eventType, ...each }) => ({
      ...each,
      surface: 'catalog' as const,
      events: eventType,
      isSigned: true,
    })),
    ...(events.data?.eventSubscriptions.subscriptions ?? []).map(({ event, targetUrl, source, status, ...each }) => ({
      ...each,
      surface: 'events' as const,
      url: targetUrl,
      events: [event],
      enabled: status === 'active',
      isSigned: source === 'custom',
    })),
    ...(sites.data?.siteWebhooks.nodes ?? []).map((each) => ({ ...each, surface: 'sites' as const, isSigned: true })),
  ];
  const failed: [SurfaceName, CombinedError | undefined][] = [
    ['catalog', catalog.error],
    ['events', events.error],
    ['sites', sites.error],
  ];
  return {
    webhooks: answered ? all.sort((a, b) => b.createdAt.localeCompare(a.createdAt)) : undefined,
    errors: failed.filter((each): each is [SurfaceName, CombinedError] => each[1] !== undefined),
    retry() {
      for (const retry of [retryCatalog, retryEvents, retrySites]) retry({ requestPolicy: 'network-only' });
    },
  };
}

/** Whether a webhook sends events, and whether its last attempts failed. */
export function State({ webhook: { enabled, failureCount = 0 } }: { webhook: Webhook }) {
  const { webhooks, terms } = useStrings();
  if (!enabled) {
    return <Tag label={terms.disabled} color="red" />;
  }
  return (
    <Tag
      label={terms.active}
      color={failureCount > 0 ? 'yellow' : 'teal'}
      title={failureCount > 0 ? webhooks.failing(failureCount) : undefined}
    />
  );
}
