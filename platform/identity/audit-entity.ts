import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { wordTypes } from '../../schema/scalars.ts';
import type { Word } from '../../schema/words.ts';
import { Owned } from '../database/index.ts';

/** Written by triggers of the recorded tables. */
@ObjectType({ description: 'A change of settings, and who made it. Entries are kept for 400 days.' })
@Entity({ schema: 'identity', tableName: 'audit_entries' })
export class AuditEntry extends Owned {
  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt!: Date;

  @Field(() => wordTypes.AuditSubject)
  @Property({ type: 'text' })
  subject!: Word<'AuditSubject'>;

  @Field(() => ID, { description: 'The changed record, which may be deleted. Of a member, the id of the user.' })
  @Property({ type: 'uuid' })
  subjectId!: string;

  @Field(() => wordTypes.AuditAction)
  @Property({ type: 'text' })
  action!: Word<'AuditAction'>;

  @Property({ type: 'array' })
  fields!: string[];

  @Field(() => wordTypes.AuditActor)
  @Property({ type: 'text' })
  actor!: Word<'AuditActor'>;

  @Property({ type: 'uuid', nullable: true })
  userId!: string | null;

  @Property({ type: 'uuid', nullable: true })
  keyId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The session of the dashboard that made the change; null for API keys.' })
  @Property({ type: 'uuid', nullable: true })
  sessionId!: string | null;
}
