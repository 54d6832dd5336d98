import { Badge } from '@mantine/core';
import type { WebhookDeliveryStatus } from '../../../.graph/graphql.ts';
import { useStrings } from '../../strings/strings.tsx';

const COLORS = { pending: 'blue', delivered: 'teal', failed: 'red', missed: 'orange' } as const;

export function DeliveryStatus({ status }: { status: WebhookDeliveryStatus }) {
  const { deliveries } = useStrings();
  return (
    <Badge color={COLORS[status]} variant="light">
      {deliveries.statuses[status]}
    </Badge>
  );
}
