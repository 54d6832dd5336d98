import { ObjectType } from 'type-graphql';
import { clock, column, columns, Owned, Table } from '../../../platform/database/index.ts';

/** Base of brands and categories: a name that products carry as text. */
@ObjectType()
@Table()
export abstract class Label extends columns(Owned, {
  name: column('text', 'Unique within the organization, ignoring case.'),
  slug: column('text', 'Unique within the organization.'),
  createdAt: column('datetime', { initial: clock.now }),
}) {}
