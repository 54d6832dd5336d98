import { ID, ObjectType } from 'type-graphql';
import { clock, column, columns, Deletion, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** One tool, server or form of a content, by the names of its columns. Its `name` identifies it within the agent. */
export type ContentEntry = Readonly<Record<string, unknown>> & { name: string };

/** All that decides how an agent replies, except for its sources: the settings and rows of an agent by the names of their columns. */
export interface Content {
  settings: Readonly<Record<string, unknown>>;
  servers: readonly ContentEntry[];
  tools: readonly ContentEntry[];
  forms: readonly ContentEntry[];
}

@ObjectType({ description: 'The state of a source when a version was made.' })
class VersionSource extends output({
  id: field(ID),
  name: field(String),
  status: field(enumTypes.SourceStatus),
  readAt: field(String, { nullable: true, description: 'When its content was read last; null before the first time.' }),
}) {}

@ObjectType({ description: 'An immutable state of an agent with which it has replied, or which was published.' })
@Table('agent.agent_versions')
export class AgentVersion extends columns(Owned, {
  agentId: column('uuid'),
  number: column('integer', 'Starts at 1 and increases with each version of the agent.'),
  note: column('text', { initial: '', description: 'The words of its author about the change; empty without a note.' }),
  published: column('boolean', {
    initial: false,
    description: 'Whether a draft was published. Otherwise, the settings of the agent were changed directly.',
  }),
  authorName: column('text', { nullable: true, description: 'The user who published it; null if it was not published.' }),
  overrideReason: column('text', {
    nullable: true,
    description: 'Why an owner published it although the required tests did not pass; null if they passed, or none were required.',
  }),
  createdAt: column('datetime', { initial: clock.now }),
  content: hidden('json', { lazy: true }).as<Content>(),
  sources: column([VersionSource], {
    type: 'json',
    initial: [],
    assumedSize: 100,
    description: 'The sources at that time. They are no part of the version and stay as they are when it is restored.',
  }),
}) {}

@ObjectType({ description: 'One difference between two states of an agent.' })
export class VersionChange extends output({
  part: field(enumTypes.VersionPart),
  name: field(String, { nullable: true, description: 'The name of the tool, server or form; null for a setting of the agent.' }),
  field: field(String, { nullable: true, description: 'The field that changed; null if the whole entry was added or removed.' }),
  before: field(String, { nullable: true, description: 'The old value: text as it is, others as JSON. Null if it was added.' }),
  after: field(String, { nullable: true, description: 'The new value. Null if it was removed.' }),
}) {}

export class VersionsArguments extends pageArguments(20, 50) {}

@ObjectType({ description: 'One page of versions.' })
export class AgentVersionPage extends PageOf(AgentVersion, 'AgentVersionPage') {}

@ObjectType({ description: 'Confirms that a draft was discarded.' })
export class DiscardedDraft extends Deletion {}
