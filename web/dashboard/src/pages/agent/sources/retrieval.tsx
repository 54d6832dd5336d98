import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../../graph/graphql.ts';
import { useQuery } from '../../../graph/use-query.ts';
import { Drawer } from '../../../parts/dialog.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { Passage } from './passage.tsx';

const RETRIEVAL = graphql(`
  query TestRetrieval($agentId: ID!, $question: String!) {
    testRetrieval(agentId: $agentId, question: $question) {
      tokens maxRetrievalTokens
      passages { id url title headings text tokens score wordRank words vectorRank similarity included source { id name } }
    }
  }
`);

/** The passages that a question finds, and why. */
export function Retrieval({ agentId, onClose }: { agentId: string; onClose(): void }) {
  const { agents } = useStrings();
  const [question, setQuestion] = useState('');
  const [asked, setAsked] = useState('');

  function submit(event: FormEvent) {
    event.preventDefault();
    setAsked(question.trim());
  }
  return (
    <Drawer onClose={onClose} position="right" size="xl" title={agents.testRetrieval}>
      <Stack>
        <form onSubmit={submit}>
          <Group align="flex-end" gap="xs" wrap="nowrap">
            <TextInput
              flex={1}
              label={agents.question}
              maxLength={4_000}
              data-autofocus
              value={question}
              onChange={({ currentTarget }) => setQuestion(currentTarget.value)}
            />
            <Button type="submit" disabled={question.trim() === ''}>
              {agents.test}
            </Button>
          </Group>
        </form>
        {asked ? <Passages key={asked} agentId={agentId} question={asked} /> : <Text size="sm">{agents.retrievalText}</Text>}
      </Stack>
    </Drawer>
  );
}

function Passages({ agentId, question }: { agentId: string; question: string }) {
  const { agents } = useStrings();
  const formats = useFormats();
  const query = useQuery({ query: RETRIEVAL, variables: { agentId, question }, requestPolicy: 'network-only' });
  return (
    <Loaded query={query}>
      {({ testRetrieval: { passages, tokens, maxRetrievalTokens } }) =>
        passages.length === 0 ? (
          <Empty title={agents.nothingFound} text={agents.nothingFoundText} />
        ) : (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {agents.retrieved(
                passages.filter(({ included }) => included).length,
                formats.number(tokens),
                formats.number(maxRetrievalTokens),
              )}
            </Text>
            {passages.map((passage, index) => (
              <Passage key={passage.id} passage={passage} place={index + 1} />
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}
