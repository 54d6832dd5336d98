import { Pagination, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../../../parts/section.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';

interface Props {
  title: string;
  page: number;
  pagination: { total: number; totalPages: number };
  onPage(page: number): void;
  children: ReactNode;
}

/** One page of records of a contact, with their number. */
export function RecordList({ title, page, pagination: { total, totalPages }, onPage, children }: Props) {
  const { inbox, table } = useStrings();
  const formats = useFormats();
  return (
    <Section title={`${title} (${formats.number(total)})`}>
      {total === 0 ? (
        <Text size="sm" c="dimmed">
          {inbox.noRecords}
        </Text>
      ) : (
        <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
          {children}
        </Stack>
      )}
      {totalPages > 1 && (
        <Pagination
          mt="sm"
          size="sm"
          value={page}
          onChange={onPage}
          total={totalPages}
          getControlProps={(control) => ({ 'aria-label': table.controls[control] })}
          getItemProps={(number) => ({ 'aria-label': table.page(number) })}
        />
      )}
    </Section>
  );
}
