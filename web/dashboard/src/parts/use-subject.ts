import type { AttributeSubject } from '../../.graph/graphql.ts';
import { useUrlState } from './use-url-state.ts';

export const subjects = ['product', 'brand', 'category'] as const;
const DEFAULTS = { subject: 'product' };
const CHOICES = { subject: subjects };

/** The records whose attributes a page shows, from the address. */
export function useSubject() {
  const [{ subject }, change] = useUrlState(DEFAULTS, CHOICES);
  return [subject as AttributeSubject, (next: AttributeSubject) => change({ subject: next })] as const;
}
