import { Anchor, Blockquote, Stack, Text } from '@mantine/core';
import { Tag } from '../parts/elements.tsx';
import { useStrings } from '../strings/strings.tsx';

interface Props {
  sourceKind?: string | null;
  sourceUrl?: string | null;
  /** The name of a source without an address, such as a file. */
  sourceTitle?: string | null;
  snippet?: string | null;
  /** Whether a person or a program wrote the value itself. */
  isOwn?: boolean;
  /** The cell of an imported value. */
  cell?: { file: string; row: number; column: string } | null;
}

/** Where a value came from: the kind of source, its address and the passage that states the value. */
export function Origin({ sourceKind, sourceUrl, sourceTitle, snippet, cell, isOwn }: Props) {
  const { values } = useStrings();
  // A job reads values without a source from the fields of the product, such as its name.
  const key = (sourceKind ?? 'product') as keyof typeof values.sourceKinds;
  const kind = isOwn ? values.own : (values.sourceKinds[key] ?? key);
  const named = cell ? values.cell(cell.file, cell.row, cell.column) : sourceTitle ? `${kind}: ${sourceTitle}` : kind;
  return (
    <Stack gap={4}>
      {isWebAddress(sourceUrl) ? (
        <Anchor href={sourceUrl} target="_blank" rel="noopener noreferrer" lineClamp={1}>
          {hostOf(sourceUrl)}
        </Anchor>
      ) : (
        <Text>{sourceUrl ?? named}</Text>
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
  const { formats } = useStrings();
  const color = value >= 85 ? 'teal' : value >= 60 ? 'yellow' : 'red';
  return <Tag label={formats.percent(value / 100)} color={color} />;
}
