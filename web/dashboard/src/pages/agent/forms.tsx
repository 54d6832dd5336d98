import { Code, Switch } from '@mantine/core';
import { IconForms, IconPlus } from '@tabler/icons-react';
import { useMutation } from 'urql';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { actionColumn, type Column, RecordTable } from '../../parts/data-table.tsx';
import { Action, OpenButton, PageLink, SmallAction } from '../../parts/elements.tsx';
import { ticked } from '../../parts/forms-and-dialogs.tsx';
import { discardUnsaved } from '../../parts/leaving.ts';
import { Loaded } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { type Form, FormEditor, UPDATE_FORM } from './form-editor.tsx';

const FORMS = graphql(`query AgentForms($agentId: ID!) { agentForms(agentId: $agentId) { ...EditedForm } }`);

/** `form` is the id of the form that is edited, or `new`. */
const DEFAULTS = { form: '' };

/** The forms that visitors of the agent fill in, and the editor of one. */
export function Tab({ agent }: TabProps) {
  const { agents } = useStrings();
  const query = useQuery({ query: FORMS, variables: { agentId: agent.id } });
  const [{ form: opened }, change] = useUrlState(DEFAULTS);
  const open = (form: string) => change({ form });
  // After a save, a cancel or a deletion.
  const close = () => {
    discardUnsaved();
    open('');
  };
  const add = <Action label={agents.addForm} icon={IconPlus} onClick={() => open('new')} />;
  return (
    <Loaded query={query}>
      {({ agentForms }) => {
        const form = agentForms.find(({ id }) => id === opened) ?? null;
        if (form || opened === 'new') return <FormEditor key={opened} agentId={agent.id} form={form} onClose={close} />;
        return <FormTable agentId={agent.id} forms={agentForms} onOpen={open} add={add} />;
      }}
    </Loaded>
  );
}

interface TableProps {
  agentId: string;
  forms: Form[];
  onOpen(id: string): void;
  add: React.ReactNode;
}

function FormTable({ agentId, forms, onOpen, add }: TableProps) {
  const { agents, terms, actions, table } = useStrings();
  const [, update] = useMutation(UPDATE_FORM);
  const columns: Column<Form>[] = [
    {
      key: 'title',
      title: agents.formTitle,
      cell: ({ id, title }) => <OpenButton label={title} onClick={() => onOpen(id)} />,
    },
    { key: 'name', title: terms.key, from: 'lg', cell: ({ name }) => <Code>{name}</Code> },
    { key: 'fields', title: terms.fields, from: 'md', width: 110, cell: ({ fields }) => agents.fieldCount(fields.length) },
    {
      key: 'enabled',
      title: agents.enabled,
      width: 90,
      cell: ({ id, title, enabled }) => (
        <Switch {...ticked(enabled, (enabled) => update({ id, input: { enabled } }))} aria-label={`${agents.enabled}: ${title}`} />
      ),
    },
    {
      key: 'submissions',
      title: terms.submissions,
      width: 130,
      from: 'sm',
      cell: ({ name, title }) => (
        <PageLink
          to={`inbox/submissions?agent=${agentId}&form=${encodeURIComponent(name)}`}
          label={actions.show}
          aria-label={`${terms.submissions}: ${title}`}
        />
      ),
    },
    {
      ...actionColumn(table.actions, 140, ({ id, title }) => (
        <SmallAction label={actions.edit} of={title} onClick={() => onOpen(id)} />
      )),
      from: 'sm',
    },
  ];
  return (
    <RecordTable
      label={agents.tabs.forms}
      columns={columns}
      records={forms}
      text={agents.formsText}
      add={add}
      icon={IconForms}
      title={agents.noForms}
    />
  );
}
