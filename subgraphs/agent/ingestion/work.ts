import type { Model } from '../../../platform/model/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/** Limits of the crawler. */
export interface CrawlLimits {
  /** Pages per source. */
  pages: number;
  /** Milliseconds between two requests to one host. */
  pauseMs: number;
  /** Milliseconds of a crawl, with all waits for its host. */
  timeMs: number;
}

/** The services and limits that the steps of an ingestion need besides the database. */
export interface IngestionScope extends Scope {
  model: Model;
  outbound: Outbound;
  crawl: CrawlLimits;
  /** Sources of one organization that are indexed at the same time. The others stay queued. */
  perOrganization: number;
  signal?: AbortSignal;
}

export type StepName = 'discoverPages' | 'crawlPage' | 'chunkSource' | 'embedChunks' | 'publishChunks' | 'done';

/** The next step of an ingestion, and milliseconds to wait before it. */
export interface NextStep {
  step: StepName;
  waitMs?: number;
}

/** The error of a source whose organization has no credits for its passages. */
export const OUT_OF_CREDITS = 'Credit limit reached. Please top up your credits, then refresh the source.';

/** The source cannot be indexed. Owners see the message. */
export class IngestionFailure extends Error {
  override name = 'IngestionFailure';
}
