import { CloseButton, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import type { Upload } from './use-uploads.ts';

/** The files of the import with their progress. */
export function UploadList({ uploads, onRemove }: { uploads: Upload[]; onRemove(key: number): void }) {
  const { imports } = useStrings();
  const formats = useFormats();
  return (
    <Stack component="ul" gap="xs" m={0} p={0} aria-label={imports.files} style={{ listStyle: 'none' }}>
      {uploads.map(({ key, name, bytes, share, id, problem }) => (
        <Paper component="li" key={key} withBorder px="sm" py="xs">
          <Group justify="space-between" wrap="nowrap" gap="sm">
            <Text size="sm" fw={500} truncate flex={1}>
              {name}
            </Text>
            <Text size="xs" c="dimmed" role="status">
              {problem ? imports.failed : id ? imports.uploaded : formats.percent(share)}
            </Text>
            {id && <IconCheck size={16} color="var(--mantine-color-teal-filled)" aria-hidden />}
            <Text size="xs" c="dimmed" visibleFrom="xs">
              {formats.bytes(bytes)}
            </Text>
            <CloseButton size="sm" aria-label={imports.remove(name)} onClick={() => onRemove(key)} />
          </Group>
          {problem ? (
            <Text size="sm" c="var(--mantine-color-red-light-color)">
              {problem}
            </Text>
          ) : (
            !id && <Progress mt={6} size="sm" value={share * 100} aria-label={imports.progressOf(name)} />
          )}
        </Paper>
      ))}
    </Stack>
  );
}
