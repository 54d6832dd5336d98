import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useStrings } from '../strings/strings.tsx';

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

/** A page outside any organization: one card in the middle. */
export function Narrow({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const { product } = useStrings();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper w={420} maw="100%" p="xl" withBorder shadow="sm">
        <Stack>
          <Text size="sm" fw={600}>
            {product}
          </Text>
          <Title order={1} size="h3">
            {title}
          </Title>
          {text && <Text size="sm">{text}</Text>}
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}

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
