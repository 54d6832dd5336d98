import { Alert, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconGitBranch } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { testsAddress } from '../../agents/agent-tests.tsx';
import { messageOf } from '../../graph/graph-client.ts';
import { graphql, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { Action, PageLink, SmallAction } from '../../parts/elements.tsx';
import { FormDialog, Modal, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { showDone, showProblem, useConfirm } from '../../parts/overlays.tsx';
import { useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { ChangeList } from './versions.tsx';

const CHANGES = graphql(`query DraftChanges($id: ID!) { agent(id: $id) { id draftChanges { part name field before after } } }`);
const PUBLISH = graphql(`
  mutation PublishDraft($id: ID!, $note: String!, $overwrite: Boolean!, $override: String) {
    publishAgentDraft(id: $id, note: $note, overwrite: $overwrite, override: $override) { id number agentId }
  }
`);
const REFUSAL = graphql(`query PublishRefusal($id: ID!) { agent(id: $id) { id publishRefusal } }`);
const DISCARD = graphql(`mutation DiscardDraft($id: ID!) { discardAgentDraft(id: $id) { id } }`);

/** Above the tabs: the way from an agent to its draft, and what can be done with a draft. */
export function DraftBar({ agent }: TabProps) {
  const { versions } = useStrings();
  const icon = <IconGitBranch size={18} aria-hidden />;
  if (agent.draftOf)
    return (
      <Alert icon={icon} color="orange" mb="md" role="status">
        <DraftActions draftId={agent.id} agentId={agent.draftOf} />
      </Alert>
    );
  return (
    <Alert icon={icon} color="gray" mb="md" role="status">
      <Group justify="space-between" gap="sm">
        <Text>{versions.exists}</Text>
        <PageLink to={`agents/${agent.draftId}`} label={versions.open} />
      </Group>
    </Alert>
  );
}

function DraftActions({ draftId, agentId }: { draftId: string; agentId: string }) {
  const { versions, actions } = useStrings();
  const { leaveTo } = useGo();
  const [opened, setOpened] = useState<'changes' | 'publish'>();
  const [{ data }] = useQuery({ query: CHANGES, variables: { id: draftId } });
  const changes = data?.agent.draftChanges ?? [];
  const close = () => setOpened(undefined);
  const toAgent = () => leaveTo(`agents/${agentId}/versions`);
  const discard = useButton(DISCARD, {
    ask: { title: versions.discardTitle, text: versions.discardText, action: actions.discard },
    // The page of the draft would read it again.
    context: { keep: true },
    after: toAgent,
  });
  return (
    <Group justify="space-between" gap="sm">
      <Stack gap={2}>
        <Text>{versions.isDraft}</Text>
        <PageLink to={`agents/${agentId}`} label={versions.published} />
      </Stack>
      <Group gap="xs">
        <SmallAction label={actions.discard} variant="subtle" color="red" {...discard({ id: draftId })} />
        <SmallAction label={versions.compare(changes.length)} onClick={() => setOpened('changes')} />
        <Action label={actions.publish} size="xs" onClick={() => setOpened('publish')} />
      </Group>
      {opened === 'changes' && (
        <Modal title={versions.compareTitle} size="lg" onClose={close}>
          <ChangeList changes={changes} />
        </Modal>
      )}
      {opened === 'publish' && <PublishDialog draftId={draftId} agentId={agentId} onClose={close} onDone={toAgent} />}
    </Group>
  );
}

interface PublishProps {
  draftId: string;
  agentId: string;
  onClose(): void;
  onDone(): void;
}

/**
 * Asks for a note, and again before it replaces changes that were made meanwhile. If the required tests do not pass, it says why, and an
 * owner may publish with a reason.
 */
function PublishDialog({ draftId, agentId, onClose, onDone }: PublishProps) {
  const { tests, versions, actions, terms } = useStrings();
  const { organization } = useOrganization();
  const confirm = useConfirm();
  const [{ data: gate }, readGate] = useQuery({ query: REFUSAL, variables: { id: draftId }, requestPolicy: 'network-only' });
  const [, publish] = useMutation(PUBLISH);
  const form = useClosingForm({ initialValues: { note: '', override: '' } });
  const refusal = gate?.agent.publishRefusal;
  const mayOverride = organization.role === 'owner';

  async function submit({ note, override }: typeof form.values, overwrite = false): Promise<void> {
    // The page of the draft would read it again.
    const variables = { id: draftId, note, overwrite, override: refusal ? override.trim() : null };
    const { data, error } = await publish(variables, { quiet: true, keep: true });
    if (data) {
      showDone(versions.done(data.publishAgentDraft.number));
      return onDone();
    }
    if (!error) return;
    const extra = error.graphQLErrors[0]?.extensions.extra as { agentChanged?: boolean; testsRequired?: boolean } | undefined;
    // The dialog then says why.
    if (extra?.testsRequired) return readGate();
    if (overwrite || !extra?.agentChanged) return showProblem(messageOf(error));
    const question = { title: versions.conflictTitle, text: versions.conflictText, action: versions.overwrite, danger: true };
    if (await confirm(question)) await submit({ note, override }, true);
  }
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={versions.publishTitle}
      form={form}
      onSubmit={(values) => submit(values)}
      submit={refusal ? tests.override : actions.publish}
      disabled={!gate || (!!refusal && (!mayOverride || form.values.override.trim() === ''))}
    >
      <Text>{versions.publishText}</Text>
      {refusal && (
        <Alert color="red" title={tests.blocked} role="status">
          <Text>{refusal}</Text>
          <Text>{tests.blockedText}</Text>
          <PageLink to={testsAddress(agentId)} label={tests.toTests} />
        </Alert>
      )}
      {refusal && mayOverride && (
        <Textarea {...form.field('override', terms.reason, tests.overrideHelp)} maxLength={2_000} autosize />
      )}
      <Textarea {...form.field('note', versions.note, versions.noteHelp)} maxLength={2_000} autosize minRows={2} data-autofocus />
    </FormDialog>
  );
}
