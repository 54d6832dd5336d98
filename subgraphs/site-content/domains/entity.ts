import { ObjectType } from 'type-graphql';
import { column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';

@ObjectType({ description: 'The domain of a site. Form submissions are accepted from its pages once it is verified.' })
@Table('site_content.domains')
export class SiteDomain extends columns(Owned, {
  siteId: hidden('uuid'),
  domain: column('string', { nullable: true, length: 253, description: 'In lowercase, for example `www.example.com`.' }),
  subdomain: column('string', { length: 63, description: 'The label of the site, unique in this service.' }),
  /** The value that proves ownership in a TXT record. */
  token: hidden('text'),
  verifiedAt: column('datetime', { nullable: true, description: 'When the owner proved that they own the domain; null before.' }),
  lostAt: column('datetime', {
    nullable: true,
    description: 'When the domain moved to another site that proved its ownership, while the TXT record of this one was missing.',
  }),
  /** Whether the domain presented a valid certificate at its last check. */
  ssl: hidden('boolean', { initial: false }),
}) {}
