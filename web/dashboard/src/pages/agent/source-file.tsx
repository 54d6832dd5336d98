import { FileButton, Group, Text } from '@mantine/core';
import { IconDownload, IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { uploadDocument } from '../../graph/upload.ts';
import { SmallAction } from '../../parts/elements.tsx';
import { showDone, showProblem } from '../../parts/overlays.tsx';
import { useOrganization } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { DOCUMENTS, type Source, useSourcesAgain } from './source.tsx';

interface Props {
  source: Source;
  file: NonNullable<Source['file']>;
  agentId: string;
}

/** The file of a source, to download it or to replace it by a newer version. */
export function SourceFile({ source: { id }, file, agentId }: Props) {
  const { agents, formats } = useStrings();
  const { slug } = useOrganization().organization;
  const readAgain = useSourcesAgain(agentId);
  const [isSending, setSending] = useState(false);

  async function replace(newer: File | null) {
    if (!newer) return;
    setSending(true);
    try {
      await uploadDocument({ organization: slug, agentId, path: `sources/${id}/file` }, newer);
      showDone(agents.replaced);
    } catch (failure) {
      showProblem((failure as Error).message);
    }
    setSending(false);
    readAgain();
  }
  return (
    <Group gap="xs">
      <Text style={{ overflowWrap: 'anywhere' }}>
        {file.name} · {formats.bytes(file.bytes)}
      </Text>
      <SmallAction
        component="a"
        href={`/api/${slug}/agents/${agentId}/sources/${id}/file`}
        download
        label={agents.downloadFile}
        icon={IconDownload}
      />
      <FileButton
        accept={Object.values(DOCUMENTS).flat().join(',')}
        onChange={replace}
        inputProps={{ 'aria-label': agents.replaceFile }}
      >
        {({ onClick }) => <SmallAction label={agents.replaceFile} loading={isSending} icon={IconFileUpload} onClick={onClick} />}
      </FileButton>
    </Group>
  );
}
