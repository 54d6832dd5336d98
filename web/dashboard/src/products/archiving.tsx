import { useClient } from 'urql';
import { graphql } from '../graph/graph-hooks.ts';
import { showDone, showUndo } from '../parts/overlays.tsx';
import { useStrings } from '../strings/strings.tsx';

const ARCHIVE = graphql(`mutation ArchiveProducts($ids: [ID!]!) { archiveProducts(ids: $ids) { changed } }`);
const UNARCHIVE = graphql(`mutation UnarchiveProducts($ids: [ID!]!) { unarchiveProducts(ids: $ids) { changed } }`);

/** Maximum products of one mutation. */
export const MAX_ARCHIVED = 1_000;

/** Returns functions that archive products, with an undo, and that bring them back. They resolve to whether it worked. */
export function useArchiving() {
  const { productEdits, actions, formats } = useStrings();
  const client = useClient();
  async function unarchive(ids: string[]): Promise<boolean> {
    const { data } = await client.mutation(UNARCHIVE, { ids });
    const { changed = 0 } = data?.unarchiveProducts ?? {};
    if (data) showDone(productEdits.unarchived(changed, formats.number(changed)));
    return Boolean(data);
  }
  async function archive(ids: string[]): Promise<boolean> {
    const { data } = await client.mutation(ARCHIVE, { ids });
    const { changed = 0 } = data?.archiveProducts ?? {};
    if (data) showUndo(productEdits.archivedCount(changed, formats.number(changed)), actions.undo, () => unarchive(ids));
    return Boolean(data);
  }
  return { archive, unarchive };
}
