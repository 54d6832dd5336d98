import type { ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import type { Word } from '../../schema/words.ts';
import type { Tool } from './tool.ts';

/** Tools of one page. A definition has up to a few kilobytes. */
const PAGE = 50;

/** One page of the tools of these groups. The cursor is the last name of the previous page; returns undefined if it is unknown. */
export function listPage(
  tools: readonly Tool[],
  groups: readonly Word<'ToolGroup'>[],
  cursor: string | undefined,
): ListToolsResult | undefined {
  const at = cursor === undefined ? 0 : tools.findIndex(({ name }) => name === cursor) + 1;
  if (cursor !== undefined && at === 0) return undefined;
  const left = tools.slice(at).filter(({ group }) => groups.includes(group));
  const page = left.slice(0, PAGE);
  return {
    tools: page.map(({ definition }) => definition),
    ...(left.length > PAGE && { nextCursor: page.at(-1)!.name }),
  };
}
