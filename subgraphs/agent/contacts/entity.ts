import { ObjectType } from 'type-graphql';
import { column, columns, Owned, Table, timestamps } from '../../../platform/database/index.ts';

@ObjectType({
  description: 'A person who contacted the organization. Leads and tickets of one typed e-mail address share a contact.',
})
@Table('agent.contacts')
export class Contact extends columns(Owned, {
  email: column('string', {
    nullable: true,
    description: 'In lower case, unique among the contacts of the organization that are not verified.',
  }),
  name: column('string', { nullable: true }),
  phone: column('string', { nullable: true }),
  verified: column('boolean', {
    initial: false,
    description: 'Whether the site has signed the identity. An address that a visitor typed never finds such a contact.',
  }),
  ...timestamps,
}) {}
