import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import type { Snippet } from '../../parts/chat/snippets.tsx';

export const CANNED_REPLIES = graphql(`query CannedReplies { cannedReplies { id name text updatedAt } }`);

/** The canned replies, as they read for a visitor. */
export function useCannedReplies(visitor: string | null | undefined): Snippet[] {
  const [{ data }] = useQuery({ query: CANNED_REPLIES });
  return data?.cannedReplies.map(({ name, text }) => ({ name, text: withName(text, visitor) })) ?? [];
}

/** The text with the name of the visitor. Without a name, a placeholder becomes its fallback, or disappears with the space before it. */
const withName = (text: string, visitor: string | null | undefined): string => {
  const name = visitor?.replace(/\s+/g, ' ').trim();
  return text.replace(/( ?)\{\{ *name *(?:\|([^{}]*))?\}\}/g, (_, space: string, fallback?: string) => {
    const words = name || fallback?.trim();
    return words ? space + words : '';
  });
};
