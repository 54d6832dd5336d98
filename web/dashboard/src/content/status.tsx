import { Badge } from '@mantine/core';
import type { PublicationStatus } from '../../.graph/graphql.ts';
import { useStrings } from '../strings/strings.tsx';

const COLORS = { draft: 'gray', scheduled: 'blue', published: 'teal' } as const;

export function Status({ status }: { status: PublicationStatus }) {
  const { content } = useStrings();
  return (
    <Badge color={COLORS[status]} variant="light">
      {content.statuses[status]}
    </Badge>
  );
}
