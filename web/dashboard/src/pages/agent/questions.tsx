import { IconCircleCheck, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { UnansweredQuestionsQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, PageLink } from '../../parts/elements.tsx';
import { Empty } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { AddSource } from './add-source.tsx';
import type { TabProps } from './agent-documents.ts';

const QUESTIONS = graphql(`
  query UnansweredQuestions($agentId: ID!, $page: Int!, $limit: Int!) {
    unansweredQuestions(agentId: $agentId, page: $page, limit: $limit) {
      nodes { conversationId messageId question reply askedAt }
      pagination { total }
    }
  }
`);
type Row = UnansweredQuestionsQuery['unansweredQuestions']['nodes'][number] & { id: string };

/** Questions that nothing answered. An answer becomes a new source. */
export function Tab({ agent }: TabProps) {
  const { agents } = useStrings();
  const formats = useFormats();
  const [answered, setAnswered] = useState<string>();
  const rows = usePages(QUESTIONS, { agentId: agent.id }, ({ unansweredQuestions: { nodes, pagination } }) => ({
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
    {
      key: 'answer',
      title: agents.actions,
      width: 130,
      align: 'right',
      cell: ({ question }) => (
        <Action label={agents.addAnswer} size="xs" variant="light" icon={IconPlus} onClick={() => setAnswered(question)} />
      ),
    },
  ];
  return (
    <>
      <DataTable
        label={agents.tabs.questions}
        columns={columns}
        rows={rows}
        empty={<Empty icon={IconCircleCheck} title={agents.noQuestions} text={agents.noQuestionsText} />}
      />
      {answered !== undefined && (
        <AddSource agentId={agent.id} type="qa" question={answered} onClose={() => setAnswered(undefined)} />
      )}
    </>
  );
}
