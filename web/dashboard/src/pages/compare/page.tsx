import { Group, Pagination, Progress, Stack, Table, Text } from '@mantine/core';
import { IconEqual, IconHourglass } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { PageTitle } from '../../parts/page-title.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { useFormats, useLanguage, useStrings } from '../../strings/strings.tsx';
import { formatValue } from '../../values/format.ts';
import { type Comparison, type Difference, useComparison } from './comparison.ts';

/** Rows of a page of the table. */
const PAGE = 50;

/** The values on which a job and its repetition differ. */
export function Page() {
  const { jobs } = useStrings();
  const { id = '' } = useParams();
  const { comparison, retry } = useComparison(id);
  return (
    <>
      <PageTitle title={jobs.compareTitle} />
      <Text size="sm" mb="md">
        {jobs.compareText}
      </Text>
      {comparison.error ? <Failure error={comparison.error} retry={retry} /> : <Found key={id} comparison={comparison} />}
    </>
  );
}

function Found({ comparison: { differences, compared, read, total, isDone } }: { comparison: Comparison }) {
  const { jobs, table } = useStrings();
  const formats = useFormats();
  const [page, setPage] = useState(1);
  if (total === 0 && !isDone) return <Loading />;
  if (isDone && compared === 0)
    return <Empty icon={IconHourglass} title={jobs.nothingToCompare} text={jobs.nothingToCompareText} />;
  if (isDone && differences.length === 0)
    return <Empty icon={IconEqual} title={jobs.noDifferences} text={jobs.noDifferencesText} />;
  const pages = Math.ceil(differences.length / PAGE);
  return (
    <Stack>
      <div>
        <Group justify="space-between" role="status">
          <Text size="sm">{jobs.differences(differences.length, formats.number(differences.length))}</Text>
          {!isDone && (
            <Text size="sm" c="dimmed">
              {jobs.compared(formats.number(read), formats.number(total))}
            </Text>
          )}
        </Group>
        {!isDone && <Progress value={(read / total) * 100} size="xs" mt={4} aria-label={jobs.compareTitle} />}
      </div>
      {differences.length > 0 && <Differences rows={differences.slice((page - 1) * PAGE, page * PAGE)} />}
      {pages > 1 && (
        <Pagination
          value={page}
          onChange={setPage}
          total={pages}
          getControlProps={(control) => ({ 'aria-label': table.controls[control] })}
          getItemProps={(number) => ({ 'aria-label': table.page(number) })}
        />
      )}
    </Stack>
  );
}

function Differences({ rows }: { rows: Difference[] }) {
  const { jobs, products } = useStrings();
  const { strings, formats } = useLanguage();
  return (
    <Table.ScrollContainer
      minWidth={560}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': jobs.compareTitle } }}
    >
      <Table aria-label={jobs.compareTitle} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{jobs.item}</Table.Th>
            <Table.Th>{products.attribute}</Table.Th>
            <Table.Th>{jobs.before}</Table.Th>
            <Table.Th>{jobs.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, item, name, before, after }) => (
            <Table.Tr key={key}>
              <Table.Td>{item}</Table.Td>
              <Table.Td>{name}</Table.Td>
              {[before, after].map((value, at) => (
                <Table.Td key={at === 0 ? 'before' : 'after'} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {value ? formatValue(value.value, value.attributeType, strings, formats) : strings.values.none}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
