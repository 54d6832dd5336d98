import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** The heading of a page, which also names the browser tab, with the page's actions beside it. */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <Group justify="space-between" mb="md" wrap="wrap" gap="sm">
      <Title order={1} size="h2">
        {title}
      </Title>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
