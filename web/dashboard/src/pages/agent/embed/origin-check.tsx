import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { Section } from '../../../parts/section.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { type TabProps, UPDATE_AGENT } from '../documents.ts';
import { checkOrigin, type OriginVerdict } from './origin.ts';

/** Says why a page may or may not embed the widget, and mends it. */
export function OriginCheck({ agent }: TabProps) {
  const { agents } = useStrings();
  const [page, setPage] = useState('');
  const [{ fetching }, update] = useMutation(UPDATE_AGENT);
  const verdict = page.trim() === '' ? undefined : checkOrigin(page, agent);
  const isAllowed = verdict?.kind === 'allowed' || verdict?.kind === 'dashboard';
  const missing = verdict && 'origin' in verdict && !isAllowed && verdict.kind !== 'not-public' ? verdict.origin : undefined;
  return (
    <Section title={agents.check}>
      <Stack gap="sm">
        <TextInput
          label={agents.pageAddress}
          description={agents.checkHelp}
          placeholder="https://www.shop.example.com/products"
          value={page}
          onChange={({ currentTarget }) => setPage(currentTarget.value)}
          inputMode="url"
          autoComplete="off"
        />
        <div role="status">
          {verdict && (
            <Alert
              color={isAllowed ? 'teal' : 'red'}
              icon={isAllowed ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
              title={isAllowed ? agents.mayEmbed : agents.mayNotEmbed}
            >
              {reasonOf(verdict, agents.verdicts)}
            </Alert>
          )}
        </div>
        {missing && (
          <Button
            variant="light"
            loading={fetching}
            onClick={() => update({ id: agent.id, input: { allowedOrigins: [...agent.allowedOrigins, missing] } })}
          >
            {agents.allow(missing)}
          </Button>
        )}
      </Stack>
    </Section>
  );
}

type Sentences = ReturnType<typeof useStrings>['agents']['verdicts'];

function reasonOf(verdict: OriginVerdict, sentences: Sentences): string {
  if (verdict.kind === 'invalid') return sentences.invalid;
  if (verdict.kind === 'unsupported') return sentences.unsupported(verdict.scheme);
  if ('near' in verdict) return sentences[verdict.kind](verdict.origin, verdict.near);
  return sentences[verdict.kind](verdict.origin);
}
