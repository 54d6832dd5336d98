import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentNode } from 'graphql';
import type { Accepted } from './accept.ts';
import type { ReadDocument } from './documents.ts';
import type { ExecutionRequest, Outcome } from './execution.ts';
import type { Parameters } from './read.ts';

/** A validated operation of an HTTP request. */
export interface FrontRequest {
  accepted: Accepted;
  document: DocumentNode;
  parameters: Parameters;
  execution: ExecutionRequest;
  request: FastifyRequest;
  /** Receives the response headers of the front. */
  reply: FastifyReply;
}

/** Runs the operations of HTTP requests. Admission, limits and response formats are the same for every front. */
export interface Front {
  read: ReadDocument;
  answer(request: FrontRequest): Promise<Outcome>;
}
