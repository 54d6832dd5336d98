import { Button, Group, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.css';
import { IconFileImport, IconUpload, IconX } from '@tabler/icons-react';
import { showProblem } from '../../parts/toast.ts';
import { useStrings } from '../../strings/strings.tsx';

/** The files that the server can read. */
const ACCEPTED = {
  'application/pdf': ['.pdf'],
  'text/csv': ['.csv'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['.xlsx'],
  'application/vnd.ms-excel': ['.xls'],
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/webp': ['.webp'],
};

interface Props {
  /** How many more files are allowed. */
  free: number;
  onFiles(files: File[]): void;
}

/** Takes files by drag, by click or by keyboard. */
export function FileDrop({ free, onFiles }: Props) {
  const { imports } = useStrings();
  return (
    <Dropzone
      accept={ACCEPTED}
      maxFiles={free}
      disabled={free === 0}
      activateOnKeyboard={false}
      inputProps={{ 'aria-label': imports.files }}
      onDrop={onFiles}
      onReject={(rejected) => showProblem(imports.rejected(rejected.map(({ file }) => file.name).join(', ')))}
    >
      <Stack align="center" gap="xs" py="md">
        <Dropzone.Accept>
          <IconUpload size={32} stroke={1.5} aria-hidden />
        </Dropzone.Accept>
        <Dropzone.Reject>
          <IconX size={32} stroke={1.5} aria-hidden />
        </Dropzone.Reject>
        <Dropzone.Idle>
          <IconFileImport size={32} stroke={1.5} aria-hidden />
        </Dropzone.Idle>
        <Group gap="xs" justify="center">
          <Text fw={500}>{imports.drop}</Text>
          {/* A click bubbles to the drop zone, which opens the file dialog. */}
          <Button variant="default" size="xs" disabled={free === 0}>
            {imports.choose}
          </Button>
        </Group>
        <Text size="sm" c="dimmed" ta="center">
          {imports.formats}
        </Text>
      </Stack>
    </Dropzone>
  );
}
