import type { Scope } from '../../common/scope.ts';

/** A passage of the knowledge sources that may answer the question. */
export interface Passage {
  id: string;
  sourceId: string;
  sourceName: string;
  type: 'url' | 'text' | 'qa';
  url: string | null;
  title: string | null;
  headings: string[];
  text: string;
  score: number;
}

/** A function that the model may call. */
export interface CallableTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  call(input: unknown, by: { conversationId: string; signal?: AbortSignal }): Promise<{ output: unknown } | { error: string }>;
}

export async function passagesFor(_scope: Scope, _agentId: string, _question: string): Promise<Passage[]> {
  return [];
}

export async function toolsOf(_scope: Scope, _agentId: string): Promise<CallableTool[]> {
  return [];
}
