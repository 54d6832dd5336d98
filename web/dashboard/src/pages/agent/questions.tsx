import { Group } from '@mantine/core';
import { IconCircleCheck, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { QuestionStatus, UnansweredQuestionsQuery } from '../../../.graph/graphql.ts';
import { TestFromReply } from '../../agents/agent-tests.tsx';
import { graphql } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { actionColumn, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, PageLink, SmallAction } from '../../parts/elements.tsx';
import { Segments } from '../../parts/forms-and-dialogs.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { AddSource } from './source.tsx';

const QUESTIONS = graphql(`
  query UnansweredQuestions($agentId: ID!, $status: QuestionStatus!, $page: Int!, $limit: Int!) {
    unansweredQuestions(agentId: $agentId, status: $status, page: $page, limit: $limit) {
      nodes { conversationId messageId question reply askedAt }
      pagination { total }
    }
  }
`);
const SET_STATUS = graphql(
  `mutation SetQuestionStatus($ids: [ID!]!, $status: QuestionStatus!) { setQuestionStatus(messageIds: $ids, status: $status) }`,
);
type Row = UnansweredQuestionsQuery['unansweredQuestions']['nodes'][number] & { id: string };

const statuses: QuestionStatus[] = ['open', 'answered', 'dismissed'];
/** Questions of one request. */
const BATCH = 500;
/** The status that the tab shows. */
const DEFAULTS = { status: 'open' };

/** Questions that nothing answered. An answer becomes a new source, and takes its question off the list. */
export function Tab({ agent }: TabProps) {
  const { agents, tests, table, actions, terms, formats } = useStrings();
  const [{ status: chosen }, change] = useUrlState(DEFAULTS);
  const status = statuses.find((each) => each === chosen) ?? 'open';
  const [answered, setAnswered] = useState<Row>();
  const [tested, setTested] = useState<Row>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [, setStatus] = useMutation(SET_STATUS);
  async function mark(ids: readonly string[], to: QuestionStatus) {
    for (let at = 0; at < ids.length; at += BATCH) {
      const { data } = await setStatus({ ids: ids.slice(at, at + BATCH), status: to });
      if (!data) return;
    }
    setSelected(new Set());
  }
  const rows = usePages(QUESTIONS, { agentId: agent.id, status }, ({ unansweredQuestions: { nodes, pagination } }) => ({
    nodes: nodes.map((node): Row => ({ ...node, id: node.messageId })),
    pagination,
  }));
  const columns: Column<Row>[] = [
    {
      key: 'question',
      title: agents.question,
      cell: ({ question, conversationId }) => (
        <PageLink to={`inbox/conversations/${conversationId}`} label={question} title={question} />
      ),
    },
    { key: 'reply', title: agents.reply, from: 'md', cell: ({ reply }) => reply },
    { key: 'asked', title: agents.asked, width: 150, from: 'sm', cell: ({ askedAt }) => formats.ago(askedAt) },
    actionColumn(table.actions, 280, (row) => (
      <>
        {status === 'open' ? (
          <>
            <SmallAction label={agents.addAnswer} variant="light" icon={IconPlus} onClick={() => setAnswered(row)} />
            <SmallAction label={agents.dismiss} variant="subtle" of={row.question} onClick={() => mark([row.id], 'dismissed')} />
          </>
        ) : (
          <SmallAction label={agents.reopen} variant="subtle" of={row.question} onClick={() => mark([row.id], 'open')} />
        )}
        <MoreMenu label={`${actions.more}: ${row.question}`}>
          <MenuAction label={tests.make} onClick={() => setTested(row)} />
        </MoreMenu>
      </>
    )),
  ];
  return (
    <>
      <Group justify="space-between" mb="sm" mih={36}>
        <Segments
          aria-label={terms.state}
          value={status}
          onChange={(value) => {
            setSelected(new Set());
            change({ status: value });
          }}
          labels={agents.questionStates}
        />
        {selected.size > 0 && (
          <Action
            label={status === 'open' ? agents.dismissCount(selected.size) : agents.reopenCount(selected.size)}
            variant="default"
            onClick={() => mark([...selected], status === 'open' ? 'dismissed' : 'open')}
          />
        )}
      </Group>
      <DataTable
        label={agents.tabs.questions}
        columns={columns}
        rows={rows}
        selected={selected}
        onSelect={setSelected}
        empty={{ icon: IconCircleCheck, title: agents.noQuestions[status], text: agents.noQuestionsText }}
      />
      {answered !== undefined && (
        <AddSource
          agentId={agent.id}
          type="qa"
          question={answered.question}
          onDone={() => mark([answered.id], 'answered')}
          onClose={() => setAnswered(undefined)}
        />
      )}
      {tested && <TestFromReply agentId={agent.id} messageId={tested.id} onClose={() => setTested(undefined)} />}
    </>
  );
}
