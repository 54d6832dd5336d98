import { Accordion, Group, Stack, Table, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from '../graph/graph-hooks.ts';
import { Note, PageLink } from '../parts/elements.tsx';
import { PageChoice } from '../parts/page-choice.tsx';
import { Empty, Loaded } from '../parts/page-frame.tsx';
import { useStrings } from '../strings/strings.tsx';
import { type Content, formatValue, type ValueType } from '../values/format.ts';
import { operations, type Subject } from './label-subject.ts';

type Values = Record<string, { attributeName: string; attributeType: ValueType; value: Content }>;

/** The enrichments of a brand or category, newest first, with the values that each found. */
export function LabelHistory({ subject, id }: { subject: Subject; id: string }) {
  const { labels, jobs, products, formats } = useStrings();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: operations[subject].history, variables: { id, page } });
  return (
    <Loaded query={query}>
      {({ label: { enrichments } }) =>
        enrichments.nodes.length === 0 ? (
          <Empty icon={IconHistory} title={products.noHistory} text={labels.noHistoryText} />
        ) : (
          <Stack>
            <Accordion variant="contained">
              {enrichments.nodes.map(({ id: itemId, status, completedAt, createdAt, errorMessage, enrichedData, job }) => {
                const values = Object.entries((enrichedData ?? {}) as Values);
                return (
                  <Accordion.Item key={itemId} value={itemId}>
                    <Accordion.Control>
                      <Group justify="space-between" pr="md">
                        <Text>{formats.time(completedAt ?? createdAt)}</Text>
                        <Note>{status === 'completed' ? jobs.values(values.length) : jobs.itemStatuses[status]}</Note>
                      </Group>
                    </Accordion.Control>
                    <Accordion.Panel>
                      {errorMessage && <Text>{errorMessage}</Text>}
                      <Found values={values} />
                      <PageLink to={`jobs/${job.id}`} label={labels.job} />
                    </Accordion.Panel>
                  </Accordion.Item>
                );
              })}
            </Accordion>
            <PageChoice page={page} totalPages={enrichments.pagination.totalPages} onPage={setPage} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function Found({ values }: { values: [string, Values[string]][] }) {
  const strings = useStrings();
  if (values.length === 0) return null;
  return (
    <Table mb="xs">
      <Table.Tbody>
        {values.map(([slug, { attributeName, attributeType, value }]) => (
          <Table.Tr key={slug}>
            <Table.Th scope="row" w="30%">
              {attributeName}
            </Table.Th>
            <Table.Td style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {formatValue(value, attributeType, strings)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
