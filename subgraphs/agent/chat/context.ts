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

export async function passagesFor(_scope: Scope, _agentId: string, _question: string): Promise<Passage[]> {
  return [];
}
