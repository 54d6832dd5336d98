import { List, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '../../../graph/use-query.ts';
import { Loaded } from '../../../parts/states.tsx';
import { SOURCE_CONTENT } from './documents.ts';

/** The text, or the questions and answers, of a source. */
export function SourceContent({ sourceId }: { sourceId: string }) {
  const query = useQuery({ query: SOURCE_CONTENT, variables: { id: sourceId } });
  return (
    <Loaded query={query}>
      {({ source: { text, qa } }) => (
        <Stack style={{ overflow: 'auto' }} tabIndex={0}>
          {text != null && (
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {text}
            </Text>
          )}
          {qa && (
            <List listStyleType="none" spacing="sm">
              {qa.map(({ question, answer }) => (
                <List.Item key={question}>
                  <Paper withBorder p="sm">
                    <Text size="sm" fw={600}>
                      {question}
                    </Text>
                    <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
                      {answer}
                    </Text>
                  </Paper>
                </List.Item>
              ))}
            </List>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
