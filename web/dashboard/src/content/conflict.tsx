import { Alert, Button, Group, ScrollArea, Table, Text } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import { useFormats, useStrings } from '../strings/strings.tsx';
import { isSame, type Kind, labelOf, type SiteRecord, type Values } from './kind.ts';

interface Props {
  kind: Kind;
  /** The version that the edit is based on. */
  base: SiteRecord;
  /** The version that was saved in the meantime. */
  winner: SiteRecord;
  mine: Values;
  onTheirs(): void;
  onMine(): void;
  /** Continue with the values of the winner where only they changed, and mine elsewhere. */
  onMerge(values: Values): void;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Shows the version that won beside the rejected edit, field by field. */
export function Conflict({ kind, base, winner, mine, onTheirs, onMine, onMerge }: Props) {
  const strings = useStrings();
  const { content } = strings;
  const formats = useFormats();
  const [before, theirs] = [kind.valuesOf(base), kind.valuesOf(winner)];
  const differing = kind.fields.filter(({ name }) => !isSame(mine[name], theirs[name]));
  const merged = Object.fromEntries(
    kind.fields.map(({ name }) => [name, isSame(mine[name], before[name]) ? theirs[name] : mine[name]]),
  );
  return (
    <Alert
      color="orange"
      role="alert"
      icon={<IconGitMerge aria-hidden />}
      title={content.conflict(winner.version, formats.time(winner.updatedAt))}
    >
      <Text size="sm" mb="sm">
        {content.conflictText}
      </Text>
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': content.differences }} mb="sm">
        <Table aria-label={content.differences} layout="fixed" bg="var(--mantine-color-body)" withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="28%">{content.field}</Table.Th>
              <Table.Th>{content.theirs}</Table.Th>
              <Table.Th>{content.mine}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differing.map((field) => (
              <Table.Tr key={field.name}>
                <Table.Th scope="row">{labelOf(field, strings)}</Table.Th>
                {[theirs, mine].map((values, at) => (
                  <Table.Td key={at === 0 ? 'theirs' : 'mine'} style={{ overflowWrap: 'anywhere', verticalAlign: 'top' }}>
                    <Text size="sm" lineClamp={8} fw={isSame(values[field.name], before[field.name]) ? 400 : 600}>
                      {textOf(values[field.name])}
                    </Text>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Group gap="xs">
        <Button size="xs" onClick={() => onMerge(merged)}>
          {content.merge}
        </Button>
        <Button size="xs" variant="default" onClick={onMine}>
          {content.overwrite}
        </Button>
        <Button size="xs" variant="default" onClick={onTheirs}>
          {content.takeTheirs}
        </Button>
      </Group>
    </Alert>
  );
}
