import { ObjectType } from 'type-graphql';
import { column, columns, Deletion, Owned, Table, timestamps } from '../../../platform/database/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import { NOT_BLANK } from '../../../schema/text.ts';

@ObjectType({ description: 'A text that operators insert into their replies by its name.' })
@Table('agent.canned_replies')
export class CannedReply extends columns(Owned, {
  name: column('text', 'Unique within the organization, in lower case.'),
  text: column('text', '`{{name}}` stands for the name of the visitor, and `{{name|there}}` for `there` if the name is unknown.'),
  ...timestamps,
}) {}

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
