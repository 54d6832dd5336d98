import { Group, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload, IconFileDescription } from '@tabler/icons-react';
import { Modal } from '../parts/dialog.tsx';
import { Action } from '../parts/elements.tsx';
import { saveCsv } from '../parts/save-file.ts';
import { useStrings } from '../strings/strings.tsx';

/** Describes the columns of a product file, and saves one with a few products. */
export function SampleFile({ size }: { size?: 'xs' }) {
  const { sample } = useStrings();
  const [isOpen, { open, close }] = useDisclosure();
  const columns = sample.columns.map(({ name }) => name);
  return (
    <>
      <Action label={sample.open} size={size} variant="subtle" onClick={open} icon={IconFileDescription} />
      {isOpen && (
        <Modal onClose={close} title={sample.title} size="lg">
          <Stack>
            <Text size="sm">{sample.text}</Text>
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
              <Action label={sample.download} icon={IconDownload} onClick={() => saveCsv(sample.file, columns, sample.rows)} />
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  );
}
