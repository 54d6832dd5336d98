import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ID, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { ListSize, PageOf, pageArguments } from '../../../platform/lists/index.ts';
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
export class VersionSource extends output({
  id: field(ID),
  name: field(String),
  status: field(enumTypes.SourceStatus),
  readAt: field(String, { nullable: true, description: 'When its content was read last; null before the first time.' }),
}) {}

@ObjectType({ description: 'An immutable state of an agent with which it has replied, or which was published.' })
@Entity({ schema: 'agent', tableName: 'agent_versions' })
export class AgentVersion extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'integer', description: 'Starts at 1 and increases with each version of the agent.' })
  number!: number;

  @FieldProperty({ type: 'text', description: 'The words of its author about the change; empty without a note.' })
  note: Opt<string> = '';

  @FieldProperty({
    type: 'boolean',
    description: 'Whether a draft was published. Otherwise, the settings of the agent were changed directly.',
  })
  published: Opt<boolean> = false;

  @FieldProperty({ type: 'text', nullable: true, description: 'The user who published it; null if it was not published.' })
  authorName: string | null = null;

  @FieldProperty({
    type: 'text',
    nullable: true,
    description: 'Why an owner published it although the required tests did not pass; null if they passed, or none were required.',
  })
  overrideReason: string | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Property({ type: 'json', lazy: true })
  content!: Content;

  @ListSize(100)
  @FieldProperty(() => [VersionSource], {
    type: 'json',
    description: 'The sources at that time. They are no part of the version and stay as they are when it is restored.',
  })
  sources: Opt<VersionSource[]> = [];
}

@ObjectType({ description: 'One difference between two states of an agent.' })
export class VersionChange extends output({
  part: field(enumTypes.VersionPart),
  name: field(String, { nullable: true, description: 'The name of the tool, server or form; null for a setting of the agent.' }),
  field: field(String, { nullable: true, description: 'The field that changed; null if the whole entry was added or removed.' }),
  before: field(String, { nullable: true, description: 'The old value: text as it is, others as JSON. Null if it was added.' }),
  after: field(String, { nullable: true, description: 'The new value. Null if it was removed.' }),
}) {}

@ArgsType()
export class VersionsArguments extends pageArguments(20, 50) {}

@ObjectType({ description: 'One page of versions.' })
export class AgentVersionPage extends PageOf(AgentVersion, 'AgentVersionPage') {}

@ObjectType({ description: 'Confirms that a draft was discarded.' })
export class DiscardedDraft extends Deletion {}
