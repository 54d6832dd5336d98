import { Group, Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A titled card of a page. */
export const Section = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <Paper component="section" aria-label={title} withBorder p="md">
    <Group justify="space-between" mb="sm">
      <Title order={2} size="h5">
        {title}
      </Title>
      {actions}
    </Group>
    {children}
  </Paper>
);
