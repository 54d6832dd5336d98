import { Alert, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { SigningPurpose } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { Action, Note, SmallAction } from '../../parts/elements.tsx';
import { Modal, typed } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type TabProps, UPDATE_AGENT } from './agent-documents.ts';

const SIGNING_SECRETS = graphql(`
  query SigningSecrets($agentId: ID!) { signingSecrets(agentId: $agentId) { id purpose previousExpiresAt updatedAt } }
`);
const ROTATE = graphql(`
  mutation RotateSigningSecret($agentId: ID!, $purpose: SigningPurpose!, $force: Boolean! = false) {
    rotateSigningSecret(agentId: $agentId, purpose: $purpose, force: $force) { purpose secret previousExpiresAt }
  }
`);
const DELETE = graphql(`
  mutation DeleteSigningSecret($agentId: ID!, $purpose: SigningPurpose!) { deleteSigningSecret(agentId: $agentId, purpose: $purpose) { id } }
`);

const purposes: readonly SigningPurpose[] = ['identity', 'requests'];

/** How the site tells the agent who its visitor is, and knows the requests of the agent. */
export function Identity({ agent }: TabProps) {
  const { agents } = useStrings();
  const query = useQuery({ query: SIGNING_SECRETS, variables: { agentId: agent.id } });
  const [made, setMade] = useState<string>();
  return (
    <Section title={agents.identity}>
      <Stack>
        <Text>{agents.identityText}</Text>
        <Loaded query={query}>
          {({ signingSecrets }) => (
            <>
              {purposes.map((purpose) => (
                <SecretRow
                  key={purpose}
                  agentId={agent.id}
                  purpose={purpose}
                  stored={signingSecrets.find((each) => each.purpose === purpose)}
                  onMade={setMade}
                />
              ))}
            </>
          )}
        </Loaded>
        <KeysUrl agent={agent} />
      </Stack>
      {made !== undefined && (
        <Modal onClose={() => setMade(undefined)} title={agents.signingSecret} closeOnClickOutside={false} size="lg">
          <Secret value={made} text={agents.signingSecretOnce} />
        </Modal>
      )}
    </Section>
  );
}

interface RowProps {
  agentId: string;
  purpose: SigningPurpose;
  stored?: { previousExpiresAt?: string | null; updatedAt: string };
  onMade(secret: string): void;
}

function SecretRow({ agentId, purpose, stored, onMade }: RowProps) {
  const { agents, actions, formats } = useStrings();
  const label = agents.signingPurposes[purpose];
  const [rotate, isRotating] = useAction(ROTATE, { after: ({ rotateSigningSecret }) => onMade(rotateSigningSecret.secret) });
  const [remove] = useAction(DELETE, {
    ask: { title: actions.deleteTitle(label), text: agents.deleteSigningText, action: actions.delete },
  });
  const until = stored?.previousExpiresAt;
  const isOverlapping = Boolean(until) && Date.parse(until!) > Date.now();

  const text = isOverlapping ? agents.rotateForceText : agents.rotateText;
  const question = { title: agents.rotateTitle(label), text, action: actions.replace, danger: false };
  const make = () => rotate({ agentId, purpose, force: isOverlapping }, stored && question);
  return (
    <Group justify="space-between" gap="xs">
      <div>
        <Text fw={500}>{label}</Text>
        <Note size="xs">
          {stored ? agents.rotatedAgo(formats.ago(stored.updatedAt)) : agents.noSigningSecret}
          {isOverlapping && ` ${agents.previousUntil(formats.time(until!))}`}
        </Note>
      </div>
      <Group gap="xs">
        <SmallAction
          label={stored ? actions.replace : agents.makeSecret}
          variant="light"
          of={label}
          loading={isRotating}
          onClick={make}
        />
        {stored && (
          <SmallAction
            label={actions.delete}
            variant="subtle"
            color="red"
            of={label}
            onClick={() => remove({ agentId, purpose })}
          />
        )}
      </Group>
    </Group>
  );
}

/** The keys of a site that signs with its own. */
function KeysUrl({ agent }: TabProps) {
  const { agents, actions } = useStrings();
  const [update, fetching] = useAction(UPDATE_AGENT, { done: agents.saved });
  const stored = agent.identityKeysUrl ?? '';
  const [url, setUrl] = useState(stored);
  const isChanged = url.trim() !== stored;
  const isWrong = url.trim() !== '' && !/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])./.test(url.trim());
  useUnsaved(isChanged);

  const save = () => update({ id: agent.id, input: { identityKeysUrl: url.trim() || null } });
  return (
    <>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          {...typed(url, setUrl)}
          flex={1}
          label={agents.keysUrl}
          description={agents.keysUrlHelp}
          placeholder="https://shop.example.com/.well-known/jwks.json"
          maxLength={2_000}
          inputMode="url"
          spellCheck={false}
          error={isWrong ? agents.wrongUrl : undefined}
        />
        <Action label={actions.save} disabled={!isChanged || isWrong} loading={fetching} onClick={save} />
      </Group>
      {stored && <Alert color="gray">{agents.keysAudience(agent.publicSlug)}</Alert>}
    </>
  );
}
