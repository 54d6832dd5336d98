import { Group, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useEffect, useRef } from 'react';
import { uploadDocument } from '../../graph/upload.ts';
import { Action } from '../../parts/elements.tsx';
import { Modal } from '../../parts/forms-and-dialogs.tsx';
import { showProblem } from '../../parts/overlays.tsx';
import { FileDrop, type SendFile, UploadList, useUploads } from '../../parts/uploads.tsx';
import { useOrganization } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { DOCUMENTS, useSourcesAgain } from './source.tsx';

/** Files that upload at the same time in one visit of the dialog. */
const MAX_FILES = 50;

interface Props {
  agentId: string;
  /** The files that were dropped on the page. */
  files: File[];
  onClose(): void;
}

/** Makes a source of each file, as soon as it is chosen. Closing the dialog cancels open uploads. */
export function AddFiles({ agentId, files, onClose }: Props) {
  const { actions, agents } = useStrings();
  const { slug } = useOrganization().organization;
  const readAgain = useSourcesAgain(agentId);
  const send: SendFile = async (file, options) => {
    const id = await uploadDocument({ organization: slug, agentId, path: 'source-files' }, file, options);
    readAgain();
    return { id };
  };
  const { uploads, add, remove } = useUploads(send);
  const dropped = useRef(files);
  useEffect(() => {
    add(dropped.current);
    dropped.current = [];
  });
  return (
    <Modal onClose={onClose} size="lg" title={agents.uploadFiles}>
      <Stack>
        <FileDrop
          accept={DOCUMENTS}
          formats={agents.fileFormats}
          rejected={agents.rejectedFiles}
          free={MAX_FILES - uploads.length}
          onFiles={add}
        />
        {uploads.length > 0 && <UploadList uploads={uploads} onRemove={remove} />}
        <Group justify="flex-end">
          <Action label={actions.close} variant="default" onClick={onClose} />
        </Group>
      </Stack>
    </Modal>
  );
}

/** Takes files that are dropped anywhere on the page. */
export function DropAnywhere({ onFiles }: { onFiles(files: File[]): void }) {
  const { agents } = useStrings();
  return (
    <Dropzone.FullScreen
      withinPortal={false}
      accept={DOCUMENTS}
      inputProps={{ 'aria-hidden': true }}
      onDrop={onFiles}
      onReject={(files) => showProblem(agents.rejectedFiles(files.map(({ file }) => file.name).join(', ')))}
    >
      <Group justify="center" mih="60vh" style={{ pointerEvents: 'none' }}>
        <Text size="xl">{agents.dropFiles}</Text>
      </Group>
    </Dropzone.FullScreen>
  );
}
