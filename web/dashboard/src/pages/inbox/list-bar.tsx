import { Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useStrings } from '../../strings/strings.tsx';

interface Props {
  /** Filters of the list. */
  children: ReactNode;
  isExporting: boolean;
  isEmpty: boolean;
  onExport(): void;
}

/** The filters of a list, and its export. */
export function ListBar({ children, isExporting, isEmpty, onExport }: Props) {
  const { inbox } = useStrings();
  return (
    <Group justify="space-between" mb="sm" gap="xs">
      <Group gap="xs" flex="1 1 18rem">
        {children}
      </Group>
      <Button
        variant="default"
        disabled={isEmpty}
        loading={isExporting}
        onClick={onExport}
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {inbox.exportCsv}
      </Button>
    </Group>
  );
}
