import { Badge } from '@mantine/core';
import { useStrings } from '../strings/strings.tsx';
import type { Webhook } from './surface.ts';

/** Whether a webhook sends events, and whether its last attempts failed. */
export function State({ webhook: { enabled, failureCount = 0 } }: { webhook: Webhook }) {
  const { webhooks } = useStrings();
  if (!enabled) {
    return (
      <Badge color="red" variant="light">
        {webhooks.disabled}
      </Badge>
    );
  }
  return (
    <Badge
      color={failureCount > 0 ? 'yellow' : 'teal'}
      variant="light"
      title={failureCount > 0 ? webhooks.failing(failureCount) : undefined}
    >
      {webhooks.active}
    </Badge>
  );
}
