import { Group, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { FirstStepsQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { LinkAction, Note } from '../../parts/elements.tsx';
import { Section } from '../../parts/page-frame.tsx';
import { SampleFile } from '../../products/sample-file.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const AGENTS = graphql(`query OwnAgents { agents { id } }`);

/** The way from an empty organization to an agent that knows its catalog. Each step is done once its records exist. */
export function FirstSteps({ steps }: { steps: FirstStepsQuery['firstSteps'] }) {
  const { firstSteps } = useStrings();
  const { isAdmin } = useOrganization();
  const [{ data }] = useQuery({ query: AGENTS, pause: !isAdmin });
  const list = [
    { ...firstSteps.attributes, isDone: steps.attributes, to: 'attributes' },
    { ...firstSteps.file, isDone: steps.products, to: 'imports/new', extra: <SampleFile size="xs" /> },
    { ...firstSteps.enrichment, isDone: steps.enrichment, to: 'jobs/new' },
    { ...firstSteps.review, isDone: steps.review, to: 'review' },
    ...(isAdmin ? [{ ...firstSteps.agent, isDone: (data?.agents.length ?? 0) > 0, to: 'agents' }] : []),
  ];
  const next = list.find(({ isDone }) => !isDone);
  return (
    <Section title={firstSteps.title}>
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }} aria-label={firstSteps.title}>
        {list.map((step, at) => (
          <Step key={step.to} number={at + 1} isNext={step === next} {...step} />
        ))}
      </Stack>
    </Section>
  );
}

interface StepProps {
  number: number;
  title: string;
  text: string;
  action: string;
  to: string;
  isDone: boolean;
  isNext: boolean;
  extra?: React.ReactNode;
}

function Step({ number, title, text, action, to, isDone, isNext, extra }: StepProps) {
  const { firstSteps } = useStrings();
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon radius="xl" variant={isDone ? 'filled' : 'default'} color="teal" aria-hidden>
        {isDone ? <IconCheck size={16} /> : <Text>{number}</Text>}
      </ThemeIcon>
      <Stack gap={4} flex={1}>
        <Text fw={600}>
          {title}
          {isDone && <VisuallyHidden>{` (${firstSteps.done})`}</VisuallyHidden>}
        </Text>
        {!isDone && (
          <>
            <Note>{text}</Note>
            <Group gap="xs">
              <LinkAction size="xs" variant={isNext ? 'filled' : 'default'} label={action} to={to} />
              {extra}
            </Group>
          </>
        )}
      </Stack>
    </Group>
  );
}
