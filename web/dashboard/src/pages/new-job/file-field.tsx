import { Button, FileButton, Group, MultiSelect } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { graphql } from '../../graph/graphql.ts';
import { uploadFiles } from '../../graph/upload.ts';
import { useQuery } from '../../graph/use-query.ts';
import { showProblem } from '../../parts/toast.ts';
import { useOrganization } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';

const FILES = graphql(`query UploadedFiles { uploadedFiles(limit: 100) { nodes { id name } } }`);

interface Props {
  label: string;
  ids: string[];
  onChange(ids: string[]): void;
  error: ReactNode;
  isUploading: boolean;
  onUploading(isUploading: boolean): void;
}

/** Chooses uploaded files, and uploads new ones. */
export function FileField({ label, ids, onChange, error, isUploading, onUploading }: Props) {
  const { newJob } = useStrings();
  const { organization } = useOrganization();
  // The choice may change while a file uploads.
  const latest = useRef(ids);
  latest.current = ids;
  const [{ data }, refetch] = useQuery({ query: FILES });
  async function upload(files: File[]) {
    onUploading(true);
    try {
      const { ids: added, problems } = await uploadFiles(organization.slug, files);
      for (const problem of problems) showProblem(problem);
      refetch({ requestPolicy: 'network-only' });
      onChange([...new Set([...latest.current, ...added])]);
    } catch (failure) {
      showProblem((failure as Error).message);
    }
    onUploading(false);
  }
  return (
    <Group align="flex-end" gap="sm">
      <MultiSelect
        flex="1 1 16rem"
        label={label}
        placeholder={ids.length === 0 ? newJob.chooseFiles : undefined}
        data={data?.uploadedFiles.nodes.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        value={ids}
        onChange={onChange}
        searchable
        error={error}
      />
      <FileButton onChange={upload} multiple accept=".pdf,.csv,.xlsx,.xls,.png,.jpg,.jpeg,.webp">
        {(props) => (
          <Button {...props} variant="default" loading={isUploading} leftSection={<IconUpload size={16} aria-hidden />}>
            {newJob.upload}
          </Button>
        )}
      </FileButton>
    </Group>
  );
}
