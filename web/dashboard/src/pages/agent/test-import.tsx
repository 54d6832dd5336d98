import { FileInput, List, Text } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from 'urql';
import { graphql } from '../../graph/graph-hooks.ts';
import { FormDialog } from '../../parts/forms-and-dialogs.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { useStrings } from '../../strings/strings.tsx';

const IMPORT = graphql(`
  mutation ImportTestCases($testSetId: ID!, $format: TestFileFormat!, $text: String!) {
    importTestCases(testSetId: $testSetId, format: $format, text: $text) { added refused { row reason } }
  }
`);

/** Adds the cases of a file, and shows the rows that were refused. */
export function TestImport({ testSetId, onClose }: { testSetId: string; onClose(): void }) {
  const { tests } = useStrings();
  const [file, setFile] = useState<File | null>(null);
  const [refused, setRefused] = useState<readonly { row: number; reason: string }[]>([]);
  const [, read] = useMutation(IMPORT);
  async function submit() {
    if (!file) return;
    const format = file.name.toLowerCase().endsWith('.json') ? 'json' : 'csv';
    const { data } = await read({ testSetId, format, text: await file.text() });
    if (!data) return;
    const { added, refused: rows } = data.importTestCases;
    showDone(tests.added(added));
    if (rows.length === 0) return onClose();
    setFile(null);
    setRefused(rows);
  }
  return (
    <FormDialog onClose={onClose} title={tests.importTitle} onSubmit={submit} submit={tests.import} disabled={!file}>
      <Text>{tests.importText}</Text>
      <FileInput label={tests.file} accept=".csv,.json,text/csv,application/json" value={file} onChange={setFile} clearable />
      {refused.length > 0 && (
        <div role="alert">
          <Text fw={600}>{tests.refused}</Text>
          <List size="sm">
            {refused.map(({ row, reason }) => (
              <List.Item key={row}>{tests.refusedRow(row, reason)}</List.Item>
            ))}
          </List>
        </div>
      )}
    </FormDialog>
  );
}
