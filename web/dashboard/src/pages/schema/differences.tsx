import { Box, Code, Group, List, Stack } from '@mantine/core';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note, Tag } from '../../parts/elements.tsx';
import { Modal } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

const DIFF = graphql(`query SchemaDiff($from: Int!, $to: Int!) {
  schemaDiff(from: $from, to: $to) { text others changes { coordinate message isBreaking } }
}`);

/** Changes that are listed. A longer list hides the text below it. */
const MAX_CHANGES = 200;
/** Lines that are rendered. */
const MAX_LINES = 2_000;

interface Props {
  from: number;
  to: number;
  onClose(): void;
}

/** The changes between two published versions, and their lines. */
export function Differences({ from, to, onClose }: Props) {
  const { schema, terms, formats } = useStrings();
  const query = useQuery({ query: DIFF, variables: { from, to } });
  return (
    <Modal onClose={onClose} size="xl" title={schema.changesBetween(String(from), String(to))}>
      <Loaded query={query}>
        {({ schemaDiff: { text, changes, others } }) => (
          <Stack>
            {changes.length + others === 0 && <Note role="status">{schema.noChanges}</Note>}
            <List size="sm" listStyleType="none" aria-label={terms.changes}>
              {changes.slice(0, MAX_CHANGES).map(({ coordinate, message, isBreaking }) => (
                <List.Item key={`${coordinate} ${message}`} style={{ overflowWrap: 'anywhere' }}>
                  <Group gap="xs">
                    {isBreaking && <Tag label={schema.breaking} color="red" size="sm" />}
                    {message}
                  </Group>
                </List.Item>
              ))}
            </List>
            {changes.length > MAX_CHANGES && <Note>{schema.moreChanges(formats.number(changes.length - MAX_CHANGES))}</Note>}
            {others > 0 && <Note>{schema.moreDefinitions(formats.number(others))}</Note>}
            {text && <Lines text={text} />}
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

const colors: Record<string, string> = {
  '-': 'var(--mantine-color-red-light)',
  '+': 'var(--mantine-color-green-light)',
  '@': 'var(--mantine-color-default-hover)',
};

function Lines({ text }: { text: string }) {
  const { schema } = useStrings();
  const lines = text.trimEnd().split('\n');
  return (
    <Code block aria-label={schema.lines} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {lines.slice(0, MAX_LINES).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat and never move
        <Box key={at} bg={colors[line[0] ?? '']}>
          {line || ' '}
        </Box>
      ))}
      {lines.length > MAX_LINES && '…'}
    </Code>
  );
}
