import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'The domain of a site. Form submissions are accepted from its pages once it is verified.' })
@Entity({ schema: 'site_content', tableName: 'domains' })
export class SiteDomain extends Owned {
  @Property({ type: 'uuid' })
  siteId!: string;

  @Field(() => String, { nullable: true, description: 'In lowercase, for example `www.example.com`.' })
  @Property({ type: 'string', length: 253, nullable: true })
  domain: string | null = null;

  @Field(() => String, { description: 'The label of the site, unique in this service.' })
  @Property({ type: 'string', length: 63 })
  subdomain!: string;

  /** The value that proves ownership in a TXT record. */
  @Property({ type: 'text' })
  token!: string;

  @Field(() => Date, { nullable: true, description: 'When the owner proved that they own the domain; null before.' })
  @Property({ type: 'datetime', nullable: true })
  verifiedAt: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the domain moved to another site that proved its ownership, while the TXT record of this one was missing.',
  })
  @Property({ type: 'datetime', nullable: true })
  lostAt: Date | null = null;

  /** Whether the domain presented a valid certificate at its last check. */
  @Property({ type: 'boolean' })
  ssl: Opt<boolean> = false;
}
