import { Box, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import type { VersionPart } from '../../../.graph/graphql.ts';
import { Note, Tag } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';

interface Change {
  part: VersionPart;
  name?: string | null;
  field?: string | null;
  before?: string | null;
  after?: string | null;
}

/** The differences between two states of an agent. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  const { versions } = useStrings();
  if (changes.length === 0) return <Note>{versions.noChanges}</Note>;
  return (
    <Stack gap="sm">
      {changes.map((change) => (
        <ChangeView key={`${change.part} ${change.name} ${change.field}`} change={change} />
      ))}
    </Stack>
  );
}

function ChangeView({ change: { part, name, field, before = null, after = null } }: { change: Change }) {
  const { versions, audit, terms } = useStrings();
  const labels: Record<string, string> = audit.settings;
  const isWhole = !field;
  return (
    <Paper withBorder p="sm">
      <Group gap="xs" mb="xs">
        <Text fw={600}>{[versions.parts[part], name, field && (labels[field] ?? field)].filter(Boolean).join(' › ')}</Text>
        {isWhole && <Tag label={before === null ? versions.added : versions.removed} color={before === null ? 'teal' : 'red'} />}
      </Group>
      {!isWhole && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <Side label={terms.before} text={before} />
          <Side label={versions.after} text={after} />
        </SimpleGrid>
      )}
    </Paper>
  );
}

function Side({ label, text }: { label: string; text: string | null }) {
  const { terms } = useStrings();
  return (
    <Box miw={0}>
      <Note>{label}</Note>
      <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text === null || text === '' ? <Note>{terms.empty}</Note> : text}
      </Text>
    </Box>
  );
}
