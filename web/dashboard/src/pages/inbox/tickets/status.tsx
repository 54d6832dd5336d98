import { Badge } from '@mantine/core';
import { useStrings } from '../../../strings/strings.tsx';
import type { TicketRow } from './documents.ts';

const colors = { new: 'red', on_you: 'orange', on_customer: 'indigo', on_hold: 'gray', closed: 'teal', cancelled: 'gray' } as const;

export function StatusBadge({ status }: { status: TicketRow['status'] }) {
  const { inbox } = useStrings();
  return (
    <Badge variant="light" color={colors[status]} miw="fit-content">
      {inbox.ticketStates[status]}
    </Badge>
  );
}

/** Whether a ticket can still change. */
export const isOpen = (status: TicketRow['status']): boolean => status !== 'closed' && status !== 'cancelled';
