import { Badge, Box, Group, Highlight, Paper, Text } from '@mantine/core';
import type { TestRetrievalQuery } from '../../../../.graph/graphql.ts';
import { useFormats, useStrings } from '../../../strings/strings.tsx';

/** Characters of the shortest word to mark. Shorter stems are in most words. */
const SHORTEST = 3;

type Found = TestRetrievalQuery['testRetrieval']['passages'][number];

/** A passage, with the shared words marked and the reasons of its place. */
export function Passage({ passage, place }: { passage: Found; place: number }) {
  const { agents } = useStrings();
  const formats = useFormats();
  const { source, title, headings, text, tokens, words, wordRank, vectorRank, similarity, included } = passage;
  return (
    <Paper withBorder p="sm" component="article" aria-label={`${place}. ${title ?? source.name}`}>
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Text size="sm" fw={600} truncate>
          {place}. {[title ?? source.name, ...headings].join(' › ')}
        </Text>
        <Badge color={included ? 'teal' : 'gray'} variant="light" miw="fit-content">
          {included ? agents.included : agents.notIncluded}
        </Badge>
      </Group>
      <Box mah={170} tabIndex={0} style={{ overflow: 'auto' }}>
        <Highlight
          size="sm"
          highlight={words.filter(({ length }) => length >= SHORTEST)}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {text}
        </Highlight>
      </Box>
      <Text size="xs" c="dimmed" mt={4}>
        {[
          wordRank !== null && wordRank !== undefined && agents.byWords(wordRank, words.join(', ')),
          vectorRank !== null && vectorRank !== undefined && agents.byMeaning(vectorRank),
          similarity !== null && similarity !== undefined && agents.similarity(formats.percent(similarity)),
          agents.tokens(formats.number(tokens)),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </Paper>
  );
}
