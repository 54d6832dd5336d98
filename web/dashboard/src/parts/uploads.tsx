import { CloseButton, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useEffect, useRef, useState } from 'react';
import type { UploadOptions } from '../graph/upload.ts';
import { useStrings } from '../strings/strings.tsx';
import '@mantine/dropzone/styles.css';
import { IconCheck, IconFileImport, IconUpload, IconX } from '@tabler/icons-react';
import { Note, SmallAction } from './elements.tsx';
import { showProblem } from './overlays.tsx';

/** Sends a file. Returns the id of its record, or the reason why the server cannot use it. */
export type SendFile = (file: File, options: UploadOptions) => Promise<{ id?: string; problem?: string }>;

export interface Upload {
  key: number;
  name: string;
  /** Size of the file. */
  bytes: number;
  /** The share that is sent, 0 to 1. */
  share: number;
  /** The id of the record that the server made of the file. */
  id?: string;
  /** Why the file could not be stored. */
  problem?: string;
}

let lastKey = 0;

/** Files that upload in parallel, each with its own progress. Leaving the page cancels open uploads. */
export function useUploads(send: SendFile) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const running = useRef(new Map<number, AbortController>());
  useEffect(
    () => () => {
      for (const controller of running.current.values()) controller.abort();
    },
    [],
  );
  const change = (key: number, changes: Partial<Upload>) =>
    setUploads((before) => before.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)));

  async function start(key: number, file: File) {
    const controller = new AbortController();
    running.current.set(key, controller);
    const { signal } = controller;
    try {
      const onProgress = (share: number) => change(key, { share });
      change(key, { share: 1, ...(await send(file, { onProgress, signal })) });
    } catch (failure) {
      if (!signal.aborted) change(key, { problem: (failure as Error).message });
    }
    running.current.delete(key);
  }

  return {
    uploads,
    add(files: readonly File[]) {
      for (const file of files) {
        const key = ++lastKey;
        setUploads((before) => [...before, { key, name: file.name, bytes: file.size, share: 0 }]);
        void start(key, file);
      }
    },
    remove(key: number) {
      running.current.get(key)?.abort();
      setUploads((before) => before.filter((upload) => upload.key !== key));
    },
  };
}

interface Props {
  /** Endings of names by media type. */
  accept: Record<string, string[]>;
  /** Names the formats. */
  formats: string;
  /** Tells why files were not taken. */
  rejected(names: string): string;
  /** How many more files are allowed. */
  free: number;
  onFiles(files: File[]): void;
}

/** Takes files by drag, by click or by keyboard. */
export function FileDrop({ accept, formats, rejected, free, onFiles }: Props) {
  const { imports, terms } = useStrings();
  return (
    <Dropzone
      accept={accept}
      maxFiles={free}
      disabled={free === 0}
      activateOnKeyboard={false}
      inputProps={{ 'aria-label': terms.files }}
      onDrop={onFiles}
      onReject={(files) => showProblem(rejected(files.map(({ file }) => file.name).join(', ')))}
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
          <Text size="md" fw={500}>
            {imports.drop}
          </Text>
          {/* A click bubbles to the drop zone, which opens the file dialog. */}
          <SmallAction label={imports.choose} disabled={free === 0} />
        </Group>
        <Note ta="center">{formats}</Note>
      </Stack>
    </Dropzone>
  );
}

/** Files with their progress. */
export function UploadList({ uploads, onRemove }: { uploads: Upload[]; onRemove(key: number): void }) {
  const { imports, terms, actions, formats } = useStrings();
  return (
    <Stack component="ul" gap="xs" m={0} p={0} aria-label={terms.files} style={{ listStyle: 'none' }}>
      {uploads.map(({ key, name, bytes, share, id, problem }) => (
        <Paper component="li" key={key} withBorder px="sm" py="xs">
          <Group justify="space-between" wrap="nowrap" gap="sm">
            <Text fw={500} truncate flex={1}>
              {name}
            </Text>
            <Note size="xs" role="status">
              {problem ? terms.failed : id ? imports.uploaded : formats.percent(share)}
            </Note>
            {id && <IconCheck size={16} color="var(--mantine-color-teal-filled)" aria-hidden />}
            <Note size="xs" visibleFrom="xs">
              {formats.bytes(bytes)}
            </Note>
            <CloseButton size="sm" aria-label={actions.removeOf(name)} onClick={() => onRemove(key)} />
          </Group>
          {problem ? (
            <Text c="var(--mantine-color-red-light-color)">{problem}</Text>
          ) : (
            !id && <Progress mt={6} size="sm" value={share * 100} aria-label={imports.progressOf(name)} />
          )}
        </Paper>
      ))}
    </Stack>
  );
}
