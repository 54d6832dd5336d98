import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { AuditEntry } from '../../../platform/identity/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

@ObjectType({ description: 'One page of the audit log.' })
export class AuditEntryPage extends PageOf(AuditEntry, 'AuditEntryPage') {}

@ArgsType()
export class AuditLogArguments extends pageArguments(50) {
  @Field(() => wordTypes.AuditSubject, { nullable: true, description: 'Only changes of such records.' })
  subject?: Word<'AuditSubject'>;

  @Field(() => ID, { nullable: true, description: 'Only changes of this record.' })
  subjectId?: string;

  @Field(() => wordTypes.AuditAction, { nullable: true })
  action?: Word<'AuditAction'>;

  @Field(() => ID, { nullable: true, description: 'Only changes by this user.' })
  userId?: string;

  @Field(() => Date, { nullable: true, description: 'Only changes at or after this time.' })
  since?: Date;

  @Field(() => Date, { nullable: true, description: 'Only changes before this time.' })
  until?: Date;
}
