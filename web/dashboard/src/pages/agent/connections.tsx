import { Code, Group, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useParams } from 'react-router';
import type { SecretsQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { actionColumn, type Column, RecordTable } from '../../parts/data-table.tsx';
import { Action, SmallAction, Tag } from '../../parts/elements.tsx';
import { FormDialog, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import classes from './agent.module.css';
import type { TabProps } from './agent-documents.ts';
import { Tab as Servers } from './mcp.tsx';
import { Tab as Tools } from './tools.tsx';

/** The sections in their order, each with an address of its own. */
const sections: Record<string, ComponentType<TabProps>> = { tools: Tools, mcp: Servers, secrets: Secrets };

/** The tools and MCP servers of an agent, and the secrets of the organization, which a draft does not show. */
export function Tab({ agent }: TabProps) {
  const { tab } = useParams();
  const shown = Object.entries(sections).filter(([name]) => name !== 'secrets' || !agent.draftOf);
  return (
    <Stack gap="xl" className={classes.all}>
      {shown.map(([name, Content]) => (
        <Section key={name} name={name as 'tools'} isAddressed={tab === name}>
          <Content agent={agent} />
        </Section>
      ))}
    </Stack>
  );
}

interface SectionProps {
  name: 'tools' | 'mcp' | 'secrets';
  /** Whether the address of the page is that of the section, which then scrolls into view. */
  isAddressed: boolean;
  children: React.ReactNode;
}

/** Its height does not depend on its content, so that those above do not move it when they have loaded. */
function Section({ name, isAddressed, children }: SectionProps) {
  const { agents } = useStrings();
  const section = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAddressed) section.current?.scrollIntoView({ block: 'start' });
  }, [isAddressed]);
  return (
    <div ref={section} className={classes.section}>
      <Title order={2} size="h4" mb="xs">
        {agents.tabs[name]}
      </Title>
      {children}
    </div>
  );
}

type Secret = SecretsQuery['secrets'][number];

const SECRETS = graphql(`query Secrets { secrets { id name maskedValue updatedAt tools { id name } mcpServers { id name } } }`);
const CREATE_SECRET = graphql(
  `mutation CreateSecret($name: String!, $value: String!) { createSecret(input: { name: $name, value: $value }) { id } }`,
);
const UPDATE_SECRET = graphql(
  `mutation UpdateSecret($id: ID!, $value: String!) { updateSecret(id: $id, input: { value: $value }) { id updatedAt } }`,
);
const DELETE_SECRET = graphql(`mutation DeleteSecret($id: ID!) { deleteSecret(id: $id) { id } }`);

/** The secrets of the organization, which the tools of all agents share. */
function Secrets() {
  const { agents, actions, terms, table, formats } = useStrings();
  const query = useQuery({ query: SECRETS });
  const [remove] = useAction(DELETE_SECRET);
  const [edited, setEdited] = useState<Secret | 'new'>();

  const ask = ({ id, name }: Secret) =>
    remove({ id }, { title: actions.deleteTitle(name), text: agents.deleteSecretText, action: actions.delete });
  const columns: Column<Secret>[] = [
    { key: 'name', title: terms.name, cell: ({ name }) => <Code>{`{{secret:${name}}}`}</Code> },
    { key: 'value', title: terms.value, from: 'md', width: 120, cell: ({ maskedValue }) => maskedValue },
    {
      key: 'used',
      title: agents.usedBy,
      from: 'sm',
      cell: ({ tools, mcpServers }) => (
        <Group gap={4} wrap="nowrap">
          {[...tools, ...mcpServers].map(({ id, name }) => (
            <Tag key={id} label={name} />
          ))}
        </Group>
      ),
    },
    { key: 'updated', title: terms.changed, width: 140, from: 'md', cell: ({ updatedAt }) => formats.ago(updatedAt) },
    actionColumn(table.actions, 180, (secret) => (
      <>
        <SmallAction label={actions.replace} of={secret.name} onClick={() => setEdited(secret)} />
        <SmallAction label={actions.delete} variant="subtle" color="red" of={secret.name} onClick={() => ask(secret)} />
      </>
    )),
  ];
  const create = <Action label={agents.addSecret} icon={IconPlus} onClick={() => setEdited('new')} />;
  return (
    <Loaded query={query}>
      {({ secrets }) => (
        <>
          <RecordTable
            label={agents.tabs.secrets}
            columns={columns}
            records={secrets}
            text={agents.secretsText}
            add={create}
            icon={IconKey}
            title={agents.noSecrets}
          />
          {edited && <SecretForm secret={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
        </>
      )}
    </Loaded>
  );
}

/** Creates a secret, or replaces the value of one. The form never shows a stored value. */
function SecretForm({ secret, onClose }: { secret?: Secret; onClose(): void }) {
  const { agents, actions, terms } = useStrings();
  const [create] = useAction(CREATE_SECRET, { after: onClose });
  const [update] = useAction(UPDATE_SECRET, { after: onClose });
  const form = useClosingForm({
    initialValues: { name: secret?.name ?? '', value: '' },
    validate: {
      name: (name) => (/^[A-Z][A-Z0-9_]{0,63}$/.test(name) ? null : agents.wrongSecretName),
      value: (value) => (value ? null : terms.required),
    },
  });
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={secret ? agents.replaceTitle(secret.name) : agents.addSecret}
      form={form}
      onSubmit={({ name, value }) => (secret ? update({ id: secret.id, value }) : create({ name, value }))}
      autoComplete="off"
      submit={actions.save}
    >
      {!secret && (
        <TextInput
          {...form.field('name', terms.name, agents.secretNameHelp)}
          placeholder="SHOP_API_KEY"
          data-autofocus
          maxLength={64}
        />
      )}
      <PasswordInput
        {...form.field('value', terms.value, agents.secretValueHelp)}
        autoComplete="new-password"
        maxLength={8_192}
        data-autofocus={secret ? true : undefined}
        visibilityToggleButtonProps={{ 'aria-label': agents.showValue }}
      />
    </FormDialog>
  );
}
