import type { SourceResult } from '../contract.ts';

/** Whether the body of an HTTP response is meant as a GraphQL response. The plan checks the types of its members. */
export const isResponse = (body: unknown): body is SourceResult =>
  typeof body === 'object' && body !== null && ('data' in body || 'errors' in body);
