import type { Approval } from '../chat/message.ts';
import { usePanel, useStore } from './hooks.ts';

/** The calls of tools that wait for a decision. */
export function ApprovalCards() {
  const { conversation } = usePanel();
  const { approvals } = useStore(conversation.store);
  return (
    <>
      {approvals.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
    </>
  );
}

/** The question of one call, with two buttons if the visitor decides. */
function ApprovalCard({ approval }: { approval: Approval }) {
  const { conversation, strings, focusInput } = usePanel();
  const { isBusy } = useStore(conversation.store);
  const { id, party, text } = approval;
  const title = party === 'visitor' ? strings.approval.title : strings.approval.team;
  const decide = (approved: boolean) => {
    void conversation.approvals.decide(approval, approved);
    // The buttons disappear with the focus.
    focusInput();
  };
  return (
    <li class="approval">
      <section aria-labelledby={`approval-${id}`}>
        <p id={`approval-${id}`} class="author">
          {title}
        </p>
        <p dir="auto" class="question">
          {text}
        </p>
        {party === 'visitor' && (
          <div class="choices">
            <button type="button" class="primary" disabled={isBusy} onClick={() => decide(true)}>
              {strings.approval.approve}
            </button>
            <button type="button" class="secondary" disabled={isBusy} onClick={() => decide(false)}>
              {strings.approval.refuse}
            </button>
          </div>
        )}
      </section>
    </li>
  );
}
