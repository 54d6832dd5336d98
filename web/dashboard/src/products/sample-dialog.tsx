import { Group, Stack, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Action } from '../parts/elements.tsx';
import { Modal } from '../parts/forms-and-dialogs.tsx';
import { saveCsv } from '../parts/save-file.ts';
import { useStrings } from '../strings/strings.tsx';

/** Describes the columns of a product file, and saves one with a few products. */
export function SampleDialog({ onClose }: { onClose(): void }) {
  const { sample } = useStrings();
  const columns = sample.columns.map(({ name }) => name);
  const rows = sample.rows.map((row) => row.split(' | '));
  return (
    <Modal onClose={onClose} title={sample.title} size="lg">
      <Stack>
        <Text>{sample.text}</Text>
        <Table aria-label={sample.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{sample.column}</Table.Th>
              <Table.Th>{sample.meaning}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sample.columns.map(({ name, text }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>{text}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Group justify="flex-end">
          <Action label={sample.download} icon={IconDownload} onClick={() => saveCsv(sample.file, columns, rows)} />
        </Group>
      </Stack>
    </Modal>
  );
}
