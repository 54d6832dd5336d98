/** A passage near the question. */
export interface VectorHit {
  id: string;
  /** Cosine of the angle between passage and question, at most 1. */
  similarity: number;
}

export interface VectorQuery {
  agentId: string;
  vector: Float32Array;
  /** Name of the model of the vector. Passages of other models are not comparable. */
  model: string;
  limit: number;
  /** Number of passages of the agent. */
  total: number;
}
