import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { FieldProperty, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'The domain of a site. Form submissions are accepted from its pages once it is verified.' })
@Entity({ schema: 'site_content', tableName: 'domains' })
export class SiteDomain extends Owned {
  @Property({ type: 'uuid' })
  siteId!: string;

  @FieldProperty({ type: 'string', length: 253, nullable: true, description: 'In lowercase, for example `www.example.com`.' })
  domain: string | null = null;

  @FieldProperty({ type: 'string', length: 63, description: 'The label of the site, unique in this service.' })
  subdomain!: string;

  /** The value that proves ownership in a TXT record. */
  @Property({ type: 'text' })
  token!: string;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When the owner proved that they own the domain; null before.' })
  verifiedAt: Date | null = null;

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description: 'When the domain moved to another site that proved its ownership, while the TXT record of this one was missing.',
  })
  lostAt: Date | null = null;

  /** Whether the domain presented a valid certificate at its last check. */
  @Property({ type: 'boolean' })
  ssl: Opt<boolean> = false;
}
