import { Code, TextInput } from '@mantine/core';
import { IconMessageReply, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { CombinedError } from 'urql';
import type { CannedRepliesQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { actionColumn, type Column, RecordTable } from '../../parts/data-table.tsx';
import { Action, SmallAction } from '../../parts/elements.tsx';
import { FormDialog, LongText, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useFieldRefusal } from '../../parts/refusals.ts';
import { useStrings } from '../../strings/strings.tsx';
import { CANNED_REPLIES } from './handoff.tsx';

type CannedReply = CannedRepliesQuery['cannedReplies'][number];

const CREATE = graphql(
  `mutation CreateCannedReply($name: String!, $text: String!) { createCannedReply(name: $name, text: $text) { id } }`,
);
const UPDATE = graphql(`
  mutation UpdateCannedReply($id: ID!, $name: String!, $text: String!) {
    updateCannedReply(id: $id, name: $name, text: $text) { id name text updatedAt }
  }
`);
const DELETE = graphql(`mutation DeleteCannedReply($id: ID!) { deleteCannedReply(id: $id) { id } }`);

/** The settings of the inbox: the canned replies of the organization. */
export function View() {
  const { inbox, actions, terms, formats } = useStrings();
  const { canned } = inbox;
  const query = useQuery({ query: CANNED_REPLIES });
  const [edited, setEdited] = useState<CannedReply | 'new'>();
  const columns: Column<CannedReply>[] = [
    { key: 'name', title: canned.name, width: 220, cell: ({ name }) => <Code>/{name}</Code> },
    { key: 'text', title: terms.text, from: 'sm', cell: ({ text }) => text },
    { key: 'updated', title: terms.changed, width: 140, from: 'md', cell: ({ updatedAt }) => formats.ago(updatedAt) },
    actionColumn('', 120, (reply) => <SmallAction label={actions.edit} of={reply.name} onClick={() => setEdited(reply)} />),
  ];
  return (
    <Loaded query={query}>
      {({ cannedReplies }) => (
        <>
          <RecordTable
            label={canned.title}
            columns={columns}
            records={cannedReplies}
            text={canned.help}
            add={<Action label={canned.add} icon={IconPlus} onClick={() => setEdited('new')} />}
            icon={IconMessageReply}
            title={canned.none}
          />
          {edited && <ReplyForm reply={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
        </>
      )}
    </Loaded>
  );
}

function ReplyForm({ reply, onClose }: { reply?: CannedReply; onClose(): void }) {
  const { inbox, actions, terms } = useStrings();
  const { canned } = inbox;
  const refuse = useFieldRefusal();
  const saving = { after: onClose, failed: (error: CombinedError) => refuse(form, 'name', error) };
  const [create] = useAction(CREATE, saving);
  const [update] = useAction(UPDATE, saving);
  const [remove] = useAction(DELETE, {
    ask: { title: canned.deleteTitle(reply?.name ?? ''), text: canned.deleteText, action: actions.delete },
    after: onClose,
  });
  const form = useClosingForm({
    initialValues: { name: reply?.name ?? '', text: reply?.text ?? '' },
    required: ['text'],
    validate: {
      name: (name) => (/^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*$/u.test(name) ? null : canned.wrongName),
    },
  });
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={reply ? canned.editTitle(reply.name) : canned.add}
      form={form}
      onSubmit={(values) => (reply ? update({ id: reply.id, ...values }) : create(values))}
      submit={actions.save}
      deletion={reply && { label: actions.delete, onClick: () => remove({ id: reply.id }) }}
    >
      <TextInput
        {...form.field('name', canned.name, canned.nameHelp)}
        leftSection="/"
        autoComplete="off"
        data-autofocus
        maxLength={40}
      />
      <LongText {...form.field('text', terms.text, canned.textHelp)} rows={[4, 14]} maxLength={4_000} />
    </FormDialog>
  );
}
