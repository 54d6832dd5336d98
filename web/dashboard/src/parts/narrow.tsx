import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useStrings } from '../strings/strings.tsx';

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
