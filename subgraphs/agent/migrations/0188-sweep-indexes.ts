import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

/** A sweep runs every few seconds, so it must not read all agents and all days. */
export class SweepIndexes extends OnlineMigration {
  protected readonly statements = [
    ...buildIndex('agent.agents_with_retention', 'agent.agents (id) where retention_days is not null'),
    ...buildIndex('agent.daily_credits_day', 'agent.daily_credits (day)'),
  ];
}
