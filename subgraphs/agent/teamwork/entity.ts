import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import { NOT_BLANK } from '../../../schema/text.ts';

@ObjectType({ description: 'A text that operators insert into their replies by its name.' })
@Entity({ schema: 'agent', tableName: 'canned_replies' })
export class CannedReply extends Owned {
  @FieldProperty({ type: 'text', description: 'Unique within the organization, in lower case.' })
  name!: string;

  @FieldProperty({
    type: 'text',
    description: '`{{name}}` stands for the name of the visitor, and `{{name|there}}` for `there` if the name is unknown.',
  })
  text!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

@ArgsType()
export class CannedReplyArguments extends args({
  name: field(String, {
    minLength: 1,
    maxLength: 40,
    pattern: /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*$/u,
    description: 'Letters, digits, hyphens and underscores. Stored in lower case.',
  }),
  text: field(String, { minLength: 1, maxLength: 4_000, pattern: NOT_BLANK }),
}) {}

@ObjectType({ description: 'Confirms that a canned reply was deleted.' })
export class DeletedCannedReply extends Deletion {}
