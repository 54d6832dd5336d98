import { Anchor, Blockquote, Stack, Text } from '@mantine/core';
import { Tag } from '../parts/elements.tsx';
import { useFormats, useStrings } from '../strings/strings.tsx';

interface Props {
  sourceKind?: string | null;
  sourceUrl?: string | null;
  snippet?: string | null;
  /** The cell of an imported value. */
  cell?: { file: string; row: number; column: string } | null;
}

/** Where a value came from: the kind of source, its address and the passage that states the value. */
export function Origin({ sourceKind, sourceUrl, snippet, cell }: Props) {
  const { values } = useStrings();
  const kind = sourceKind ? (values.sourceKinds[sourceKind as keyof typeof values.sourceKinds] ?? sourceKind) : values.own;
  return (
    <Stack gap={4}>
      {isWebAddress(sourceUrl) ? (
        <Anchor href={sourceUrl} target="_blank" rel="noopener noreferrer" size="sm" lineClamp={1}>
          {hostOf(sourceUrl)}
        </Anchor>
      ) : (
        <Text size="sm">{sourceUrl ?? (cell ? values.cell(cell.file, cell.row, cell.column) : kind)}</Text>
      )}
      {snippet && (
        <Blockquote p="xs" fz="xs" m={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {snippet}
        </Blockquote>
      )}
    </Stack>
  );
}

/** Links lead only to web pages; other schemes, such as `javascript:`, stay text. */
const isWebAddress = (url: string | null | undefined): url is string => /^https?:\/\//i.test(url ?? '');
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host + new URL(url).pathname : url);

/** A calibrated confidence, 0 to 100. */
export function Confidence({ value }: { value: number }) {
  const formats = useFormats();
  const color = value >= 85 ? 'teal' : value >= 60 ? 'yellow' : 'red';
  return <Tag label={formats.percent(value / 100)} color={color} />;
}
