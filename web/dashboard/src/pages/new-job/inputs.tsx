import { FileButton, Group, MultiSelect, Stack } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { uploadFiles } from '../../graph/upload.ts';
import { Action, PageLink } from '../../parts/elements.tsx';
import { useOptionSearch } from '../../parts/forms-and-dialogs.tsx';
import { showProblem } from '../../parts/overlays.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const SEARCH = graphql(
  `query FindProducts($search: String!) { products(search: $search, limit: 20, orderBy: name, sortOrder: asc) { nodes { id name sku } } }`,
);
const CHOSEN = graphql(
  `query ChosenProducts($ids: [ID!]!) { products(filter: { ids: $ids }, limit: 100) { nodes { id name sku } } }`,
);
/** More products are shown as a number. */
const SHOWN = 20;

/** Chooses products by search. Many products are best chosen in the list. */
export function ProductField({ ids, onChange, error }: { ids: string[]; onChange(ids: string[]): void; error: ReactNode }) {
  const { newJob, pages, terms, formats } = useStrings();
  const [search, searching] = useOptionSearch();
  const many = ids.length > SHOWN;
  const [{ data: found }] = useQuery({ query: SEARCH, variables: { search }, pause: many });
  const [{ data: chosen }] = useQuery({ query: CHOSEN, variables: { ids }, pause: many || ids.length === 0 });
  const known = new Map([...(chosen?.products.nodes ?? []), ...(found?.products.nodes ?? [])].map((each) => [each.id, each]));
  const list = <PageLink to="products" label={newJob.chooseInList} />;
  if (many) {
    return (
      <Stack gap={4} align="flex-start">
        {newJob.chosen(ids.length, formats.number(ids.length))}
        {list}
      </Stack>
    );
  }
  return (
    <Stack gap={4} align="stretch">
      <MultiSelect
        {...searching}
        label={pages.products}
        placeholder={terms.searchProducts}
        data={[...known.values()].map(({ id, name, sku }) => ({ value: id, label: `${name} (${sku})` }))}
        value={ids}
        onChange={onChange}
        error={error}
      />
      {list}
    </Stack>
  );
}

const FILES = graphql(`query UploadedFiles { uploadedFiles(limit: 100) { nodes { id name } } }`);

interface FileFieldProps {
  label: string;
  ids: string[];
  onChange(ids: string[]): void;
  error: ReactNode;
  isUploading: boolean;
  onUploading(isUploading: boolean): void;
}

/** Chooses uploaded files, and uploads new ones. */
export function FileField({ label, ids, onChange, error, isUploading, onUploading }: FileFieldProps) {
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
        {(props) => <Action label={newJob.upload} {...props} variant="default" loading={isUploading} icon={IconUpload} />}
      </FileButton>
    </Group>
  );
}
