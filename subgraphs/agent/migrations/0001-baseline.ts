import { Migration } from '@mikro-orm/migrations';
import { agents, tools, versions } from './baseline/agents.ts';
import { approvals, conversations, handoffs } from './baseline/conversations.ts';
import { figures } from './baseline/figures.ts';
import { passages, sources, vectors } from './baseline/knowledge.ts';
import { people, tickets } from './baseline/records.ts';
import { replies } from './baseline/replies.ts';
import { tests } from './baseline/tests.ts';

/** The tables of the agent service. */
export class AgentBaseline extends Migration {
  override up(): void {
    this.addSql('create extension if not exists btree_gin; create schema agent');
    for (const sql of [
      agents,
      tools,
      sources,
      passages,
      vectors,
      people,
      conversations,
      approvals,
      handoffs,
      tickets,
      versions,
      figures,
      tests,
      ...replies(),
    ])
      this.addSql(sql);
  }
}
