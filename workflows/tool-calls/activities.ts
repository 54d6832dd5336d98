import type { Pool } from 'pg';
import { sweepCalls } from '../../subgraphs/agent/tool-calls/service.ts';

export type ToolCallActivities = ReturnType<typeof toolCallActivities>;

export const toolCallActivities = (pool: Pool) => ({
  sweepCalls: () => sweepCalls(pool),
});
