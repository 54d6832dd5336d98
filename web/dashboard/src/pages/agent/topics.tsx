import { Anchor, Group, List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AgentTopicsQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note, PageLink, Tag } from '../../parts/elements.tsx';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

const TOPICS = graphql(`
  query AgentTopics($agentId: ID!, $days: DayRange) {
    agentFigures(agentId: $agentId, days: $days) {
      topics { compared topics { label questions examples { messageId conversationId question } } }
    }
  }
`);
type TopicRow = AgentTopicsQuery['agentFigures']['topics']['topics'][number];

/** The most frequent topics of the newest questions. */
export function Topics({ agentId, from, to }: { agentId: string; from: string; to: string }) {
  const { figures, formats } = useStrings();
  const query = useQuery({ query: TOPICS, variables: { agentId, days: { from, to } } });
  return (
    <Section title={figures.topics}>
      <Loaded query={query}>
        {({ agentFigures: { topics } }) => (
          <Stack gap="xs">
            <Note size="xs">{figures.topicsText(topics.compared, formats.number(topics.compared))}</Note>
            {topics.topics.length === 0 && <Note>{figures.noTopics}</Note>}
            {topics.topics.map((topic) => (
              <Topic key={topic.label} topic={topic} />
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

/** A topic that opens to its newest questions. */
function Topic({ topic: { label, questions, examples } }: { topic: TopicRow }) {
  const { figures, formats } = useStrings();
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <Tag label={formats.number(questions)} color="gray" />
        <Anchor component="button" type="button" ta="left" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {label}
        </Anchor>
      </Group>
      {isOpen && (
        <>
          <Text size="xs" mt={4}>
            {figures.newest}
          </Text>
          <List size="sm">
            {examples.map(({ messageId, conversationId, question }) => (
              <List.Item key={messageId}>
                <PageLink to={`inbox/conversations/${conversationId}`} label={question} />
              </List.Item>
            ))}
          </List>
        </>
      )}
    </div>
  );
}
