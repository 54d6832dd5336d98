import { type MantineSize, type MantineSpacing, Pagination } from '@mantine/core';
import { useStrings } from '../strings/strings.tsx';

interface PageChoiceProps {
  page: number;
  totalPages: number;
  onPage(page: number): void;
  mt?: MantineSpacing;
  size?: MantineSize;
}

/** Leads to the other pages of a list, if it has several. */
export function PageChoice({ page, totalPages, onPage, ...props }: PageChoiceProps) {
  const { table } = useStrings();
  if (totalPages <= 1) return null;
  return (
    <Pagination
      value={page}
      onChange={onPage}
      total={totalPages}
      getControlProps={(control) => ({ 'aria-label': table.controls[control] })}
      getItemProps={(number) => ({ 'aria-label': table.page(number) })}
      {...props}
    />
  );
}
