import { Code, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import type { AgentsQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, PageLink, Tag } from '../../parts/elements.tsx';
import { FormDialog, LongText, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { Loaded, PageTitle } from '../../parts/page-frame.tsx';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const AGENTS = graphql(`query Agents { agents { id name publicSlug modelType publicAccess updatedAt } }`);
const CREATE_AGENT = graphql(`mutation CreateAgent($input: NewAgent!) { createAgent(input: $input) { id } }`);

type Row = AgentsQuery['agents'][number];

export function Page() {
  const { agents, pages, terms, formats } = useStrings();
  const [isOpen, { open, close }] = useDisclosure();
  const query = useQuery({ query: AGENTS });
  const columns: Column<Row>[] = [
    { key: 'name', title: terms.name, cell: ({ id, name }) => <PageLink to={`agents/${id}`} label={name} fw={500} /> },
    {
      key: 'access',
      title: agents.access,
      width: 140,
      cell: ({ publicAccess }) => (
        <Tag label={publicAccess ? agents.public : agents.private} color={publicAccess ? 'teal' : 'gray'} />
      ),
    },
    {
      key: 'model',
      title: terms.model,
      width: 140,
      from: 'sm',
      cell: ({ modelType }) => agents.models[modelType as 'agent-chat-v1'],
    },
    { key: 'slug', title: agents.publicSlug, from: 'md', cell: ({ publicSlug }) => <Code>{publicSlug}</Code> },
    { key: 'updated', title: terms.changed, width: 160, from: 'sm', cell: ({ updatedAt }) => formats.ago(updatedAt) },
  ];
  const create = <Action label={agents.create} onClick={open} icon={IconPlus} />;
  return (
    <>
      <PageTitle title={pages.agents}>{(query[0].data?.agents.length ?? 0) > 0 && create}</PageTitle>
      <Loaded query={query}>
        {({ agents: rows }) => (
          <DataTable
            label={pages.agents}
            columns={columns}
            rows={allRows(rows)}
            empty={{ icon: IconRobot, title: agents.none, text: agents.noneText, action: create }}
          />
        )}
      </Loaded>
      {isOpen && <NewAgent onClose={close} />}
    </>
  );
}

function NewAgent({ onClose }: { onClose(): void }) {
  const { agents, terms, actions } = useStrings();
  const { leaveTo } = useGo();
  const [create] = useAction(CREATE_AGENT, { after: (data) => leaveTo(`agents/${data.createAgent.id}`) });
  const form = useClosingForm({ initialValues: { name: '', welcomeMessage: '', systemPrompt: '' }, required: ['name'] });
  const submit = (input: typeof form.values) => create({ input: { ...input, requireApprovals: true } });
  return (
    <FormDialog guarded onClose={onClose} title={agents.create} form={form} onSubmit={submit} submit={actions.create}>
      <TextInput {...form.field('name', terms.name, agents.nameHelp)} maxLength={255} data-autofocus />
      <TextInput {...form.field('welcomeMessage', agents.welcomeMessage)} maxLength={4_000} />
      <LongText {...form.field('systemPrompt', agents.systemPrompt, agents.systemPromptHelp)} rows={[3, 10]} maxLength={100_000} />
    </FormDialog>
  );
}
