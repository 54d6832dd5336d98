import { Button, Checkbox, Group, SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { useStrings } from '../strings/strings.tsx';

/** Also the properties of a field of a form. */
interface Props {
  all: readonly string[];
  value?: string[];
  onChange(events: string[]): void;
  error?: ReactNode;
}

/** The events that a webhook receives. */
export function EventChoice({ all, value, onChange, error }: Props) {
  const { webhooks } = useStrings();
  return (
    <Checkbox.Group label={webhooks.events} value={value} onChange={onChange} error={error}>
      <Group gap="xs" my={6}>
        <Button size="compact-xs" variant="subtle" onClick={() => onChange([...all])}>
          {webhooks.chooseAll}
        </Button>
        <Button size="compact-xs" variant="subtle" onClick={() => onChange([])}>
          {webhooks.chooseNone}
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mb="xs">
        {all.map((event) => (
          <Checkbox key={event} value={event} label={event} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
