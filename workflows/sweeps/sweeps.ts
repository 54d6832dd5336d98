/** Recurring work that Temporal schedules start. One run of each sweep exists at a time, and each is safe to run concurrently. */
import { sweepResponses } from '../../platform/idempotency/index.ts';
import { sweepAudit, sweepSessions } from '../../platform/identity/index.ts';
import { sweepMails } from '../../platform/mail/index.ts';
import type { Services } from '../../platform/subgraph/index.ts';
import { deleteOldUsage, registryIn } from '../../platform/usage/index.ts';
import type { Deliverer } from '../../platform/webhooks/index.ts';
import { refreshDue } from '../../subgraphs/agent/sources/service.ts';
import { startNightlyRuns } from '../../subgraphs/agent/test-runs/nightly.ts';
import { emitCalls, sweepCalls } from '../../subgraphs/agent/tool-calls/service.ts';
import { emitCatalogChanges } from '../../subgraphs/catalog/changes/events.ts';
import { pruneCatalogChanges } from '../../subgraphs/catalog/changes/feed.ts';
import { recordCompleteness } from '../../subgraphs/catalog/completeness/completeness.ts';
import { forgetEvidence } from '../../subgraphs/catalog/enrichment/sources.ts';
import { fillGaps } from '../../subgraphs/catalog/gap-rules/fill-gaps.ts';
import { forgetLabels } from '../../subgraphs/catalog/labels/summaries.ts';
import { sweepChanges } from '../../subgraphs/catalog/live/update-log.ts';
import { forgetEdits } from '../../subgraphs/catalog/product-edits/service.ts';
import { forgetExports } from '../../subgraphs/catalog/product-exports/service.ts';
import { forgetDeleted } from '../../subgraphs/catalog/products/product-deletion.ts';
import { foldSlots } from '../../subgraphs/catalog/stats/service.ts';
import { forgetValueChanges } from '../../subgraphs/catalog/values/value-history.ts';
import { pruneChanges } from '../../subgraphs/site-content/content/change-feed.ts';
import { publishDue } from '../../subgraphs/site-content/content/schedule.ts';

interface SweepDependencies {
  services: Services;
  deliverer: Deliverer;
}

interface Sweep {
  every: '1 minute' | '1 hour';
  /** Time after which the run of a killed worker is given up, so that the schedule starts the next one. */
  lease: '2 minutes' | '4 minutes' | '10 minutes';
  run(dependencies: SweepDependencies): Promise<unknown>;
}

/** By name, which is also the name of the activity and the first part of the id of the schedule. */
export const sweeps: Record<string, Sweep> = {
  /** Sends the deliveries that are due: retries, and those of a process that crashed. Deletes finished ones after 30 days. */
  'webhook-delivery': { every: '1 minute', lease: '2 minutes', run: ({ deliverer }) => deliverer.sweep() },
  /** Queues the knowledge sources whose refresh is due. */
  'source-refresh': { every: '1 minute', lease: '2 minutes', run: ({ services }) => refreshDue(services.pool) },
  /** Starts the nightly runs of test sets that are due. */
  'nightly-tests': { every: '1 minute', lease: '4 minutes', run: ({ services }) => startNightlyRuns(services) },
  /** Publishes the scheduled content whose time has come. */
  'site-publication': { every: '1 minute', lease: '4 minutes', run: ({ services }) => publishDue(services) },
  /** Sends the events of products that changed since the last sweep. */
  'product-events': { every: '1 minute', lease: '4 minutes', run: ({ services }) => emitCatalogChanges(services) },
  /** Sends the events of calls of tools that ended since the last sweep. */
  'tool-call-events': { every: '1 minute', lease: '4 minutes', run: ({ services }) => emitCalls(services) },
  /** Lets the rules that fill gaps look for products. */
  'gap-rules': { every: '1 minute', lease: '4 minutes', run: ({ services }) => fillGaps(services) },
  /** Adds the slots of stored counts up. */
  'catalog-counts': { every: '1 minute', lease: '4 minutes', run: ({ services }) => foldSlots(services.pool) },
  /** Records the completeness of each catalog, for its course over time. */
  completeness: { every: '1 hour', lease: '10 minutes', run: ({ services }) => recordCompleteness(services.pool) },
  /** Deletes stored evidence that is too old or exceeds its limit. */
  evidence: { every: '1 hour', lease: '10 minutes', run: ({ services }) => forgetEvidence(services.pool) },
  /** Deletes old audit records of tool calls, and fails the records of calls that were interrupted. */
  'tool-calls': { every: '1 hour', lease: '10 minutes', run: ({ services }) => sweepCalls(services.pool) },
  /** Deletes sessions and sign-in links that ended. */
  sessions: { every: '1 hour', lease: '10 minutes', run: ({ services }) => sweepSessions(services.pool) },
  /** Deletes the responses of idempotent requests after a day. */
  'idempotent-responses': { every: '1 hour', lease: '10 minutes', run: ({ services }) => sweepResponses(services.pool) },
  /** Deletes ended mails after 30 days. */
  mails: { every: '1 hour', lease: '10 minutes', run: ({ services }) => sweepMails(services.pool) },
  /** Deletes old entries of the audit log. */
  audit: { every: '1 hour', lease: '10 minutes', run: ({ services }) => sweepAudit(services.pool) },
  /** Deletes the counts of operations after 90 days. */
  usage: { every: '1 hour', lease: '10 minutes', run: ({ services }) => deleteOldUsage(registryIn(services.pool)) },
  /** Drops the partitions of old changes of jobs and organizations, and creates those of the next weeks. */
  changes: { every: '1 hour', lease: '10 minutes', run: ({ services }) => sweepChanges(services.pool) },
  /** Deletes old deletions in the feeds of the catalog. */
  'catalog-changes': { every: '1 hour', lease: '10 minutes', run: ({ services }) => pruneCatalogChanges(services.pool) },
  /** Forgets the results of bulk edits after 30 days. */
  'product-edits': { every: '1 hour', lease: '10 minutes', run: ({ services }) => forgetEdits(services.pool) },
  /** Deletes the files of exports after 7 days. */
  'product-exports': { every: '1 hour', lease: '10 minutes', run: ({ services }) => forgetExports(services.pool) },
  /** Forgets the changes of values by users after 400 days. */
  'value-changes': { every: '1 hour', lease: '10 minutes', run: ({ services }) => forgetValueChanges(services.pool) },
  /** Forgets products that were deleted more than 30 days ago. */
  'deleted-products': { every: '1 hour', lease: '10 minutes', run: ({ services }) => forgetDeleted(services.pool) },
  /** Forgets the names of brands and categories that nothing uses any more. */
  labels: { every: '1 hour', lease: '10 minutes', run: ({ services }) => forgetLabels(services.pool) },
  /** Deletes old deletions in the feeds of site content. */
  'content-changes': { every: '1 hour', lease: '10 minutes', run: ({ services }) => pruneChanges(services.pool) },
};

/** An activity for each sweep. */
export const sweepActivities = (dependencies: SweepDependencies) =>
  Object.fromEntries(Object.entries(sweeps).map(([name, { run }]) => [name, () => run(dependencies)]));
