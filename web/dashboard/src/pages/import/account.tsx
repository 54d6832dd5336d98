import { Anchor, Badge, Group, ScrollArea, Switch, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { ImportPageQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { useReread } from '../../graph/use-pages.ts';
import { Modal } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';

const ACCOUNT = graphql(`
  query ImportAccount($jobId: ID!) {
    importAccount(jobId: $jobId) { rowsRead items inQuestion merged duplicates skipped }
    importNotes(jobId: $jobId, limit: 200) {
      nodes { id kind file sheet row message }
      pagination { total }
    }
  }
`);

interface Props {
  job: ImportPageQuery['job'];
  /** Whether the list shows only items with questions. */
  isFiltered: boolean;
  onFilter(isOn: boolean): void;
}

/** The whereabouts of all rows of the files: found, merged, duplicate or skipped, with a reason for each that became no product. */
export function Account({ job, isFiltered, onFilter }: Props) {
  const { imports, formats } = useStrings();
  const [isOpen, setOpen] = useState(false);
  const [{ data }, read] = useQuery({ query: ACCOUNT, variables: { jobId: job.id } });
  useReread({ retry: () => read({ requestPolicy: 'network-only' }) }, `${job.processedCount} ${job.totalExtracted}`);
  if (!data || data.importAccount.rowsRead === 0) return null;
  const { rowsRead, items, inQuestion, merged, duplicates, skipped } = data.importAccount;
  const parts = [
    [merged, imports.merged, 'gray'],
    [duplicates, imports.duplicates, 'orange'],
    [skipped, imports.skipped, 'orange'],
  ] as const;
  return (
    <Group gap="sm" role="group" aria-label={imports.account(formats.number(rowsRead), formats.number(items))}>
      <Text>{imports.account(formats.number(rowsRead), formats.number(items))}</Text>
      {parts.map(
        ([count, label, color]) =>
          count > 0 && (
            <Badge key={label(formats.number(count))} variant="light" color={color} tt="none" fw={500}>
              {label(formats.number(count))}
            </Badge>
          ),
      )}
      {merged + duplicates + skipped > 0 && (
        <Anchor component="button" type="button" onClick={() => setOpen(true)}>
          {imports.showNotes}
        </Anchor>
      )}
      {(inQuestion > 0 || isFiltered) && (
        <Switch
          label={imports.inQuestion(formats.number(inQuestion))}
          checked={isFiltered}
          onChange={({ currentTarget }) => onFilter(currentTarget.checked)}
        />
      )}
      {isOpen && <Notes notes={data.importNotes.nodes} onClose={() => setOpen(false)} />}
    </Group>
  );
}

interface Note {
  id: string;
  kind: 'merged' | 'duplicate' | 'skipped';
  file: string;
  row: number;
  message: string;
}

function Notes({ notes, onClose }: { notes: Note[]; onClose(): void }) {
  const { imports, terms } = useStrings();
  return (
    <Modal onClose={onClose} title={imports.notes} size="xl">
      <ScrollArea.Autosize mah="70vh" viewportProps={{ tabIndex: 0 }}>
        <Table
          data={{
            head: [terms.row, imports.outcome, terms.reason],
            body: notes.map(({ kind, file, row, message }) => [imports.rows(file, String(row)), imports.noteKinds[kind], message]),
          }}
        />
      </ScrollArea.Autosize>
    </Modal>
  );
}
