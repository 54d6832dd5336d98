import { useState } from 'react';
import type { Content } from '../../values/format.ts';
import { keyOf, type Proposal } from './queue.ts';

/** The edited values. A draft stays until it is saved or canceled, also while another value is chosen. */
export function useDrafts() {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Content>>(new Map());
  const of = (proposal: Proposal) => drafts.get(keyOf(proposal));
  return {
    of,
    has: (proposal: Proposal) => drafts.has(keyOf(proposal)),
    isEdited: (proposal: Proposal) =>
      drafts.has(keyOf(proposal)) && JSON.stringify(of(proposal)) !== JSON.stringify(proposal.proposed.value),
    write: (proposal: Proposal, value: Content) => setDrafts((before) => new Map(before).set(keyOf(proposal), value)),
    drop: (proposal: Proposal) => setDrafts((before) => new Map([...before].filter(([key]) => key !== keyOf(proposal)))),
  };
}
