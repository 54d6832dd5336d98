import { randomBytes } from 'node:crypto';
import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Arg, Ctx, FieldResolver, InputType, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { clock, column, columns, hidden, Owned, query, readRows, sql, Table } from '../../../platform/database/index.ts';
import { field, Id, input } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { OutboundRefused } from '../../../platform/outbound/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { readableSite } from '../content/access.ts';
import { editSite } from '../content/edit.ts';
import { EDITORS } from '../content/entity.ts';
import { Site } from '../sites/entity.ts';

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

@InputType({ description: 'The domain of a site.' })
class SiteDomainInput extends input({
  domain: field(String, {
    minLength: 4,
    maxLength: 230,
    pattern: /^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z][a-zA-Z0-9-]{0,61}[a-zA-Z0-9]$/,
    description: 'A host name without a scheme and port, for example `www.example.com`.',
  }),
}) {}

@Access('member')
@Resolver(() => SiteDomain)
export class SiteDomainResolver {
  /** The domain of a site that the caller may read. A site without a domain has only its subdomain. */
  @Query(() => SiteDomain, { nullable: true, description: 'The domain of a site.' })
  async siteDomain(@Ctx() scope: RequestScope, @Id('siteId') siteId: string): Promise<SiteDomain> {
    return domainOf(scope, await readableSite(scope, siteId));
  }

  /** Set the domain of a site. It must be verified again. */
  @Mutation(() => SiteDomain, {
    description: `Set the domain of a site. Add its TXT record, then call \`verifySiteDomain\`. ${EDITORS}`,
  })
  setSiteDomain(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Arg('input', () => SiteDomainInput) { domain }: SiteDomainInput,
  ): Promise<SiteDomain> {
    const name = domain.toLowerCase();
    return changeDomain(scope, siteId, (current) => {
      if (current.domain === name) return;
      Object.assign(current, { domain: name, verifiedAt: null, lostAt: null, ssl: false, token: newToken() });
    });
  }

  /**
   * Verify the domain of a site by its TXT record. A domain that another site has verified moves if the record of that site is missing.
   * Throws `UNPROCESSABLE` if the record is missing, and `CONFLICT` if that of the other site is still there.
   */
  @Mutation(() => SiteDomain, {
    description: `Check the TXT record that proves the ownership of the domain of a site. A domain that another site has verified moves if the record of that site is missing. ${EDITORS}`,
  })
  async verifySiteDomain(@Ctx() scope: RequestScope, @Id('siteId') siteId: string): Promise<SiteDomain> {
    // Neither the name server nor the domain is asked in a transaction.
    const claimed = await changeDomain(scope, siteId, () => {});
    if (!claimed.domain) throw fail('UNPROCESSABLE', 'The site has no domain.');
    const { domain, token } = claimed;
    const { outbound } = scope.services;
    const records = await outbound.resolveTxt(recordName(domain));
    if (!records.includes(recordValue(claimed)))
      throw fail('UNPROCESSABLE', `The TXT record ${recordName(domain)} with the value ${recordValue(claimed)} was not found.`);
    // The same answer has the records of both, so an outage of the name server takes no domain away.
    await releaseDomain(scope, claimed, domain, records);
    const ssl = await outbound
      .ownedBy(scope.organizationId)
      .request(`https://${domain}/`, { method: 'HEAD', timeoutMs: 5_000 })
      .then(
        () => true,
        (error: unknown) => error instanceof OutboundRefused && error.kind === 'redirect',
      );
    return changeDomain(scope, siteId, (current) => {
      if (current.token !== token) throw fail('CONFLICT', 'Another request changed the domain. Please try again.');
      Object.assign(current, { verifiedAt: current.verifiedAt ?? clock.now(), lostAt: null, ssl });
    });
  }

  @Mutation(() => SiteDomain, { description: `Remove the domain of a site. ${EDITORS}` })
  removeSiteDomain(@Ctx() scope: RequestScope, @Id('siteId') siteId: string): Promise<SiteDomain> {
    return changeDomain(scope, siteId, (current) => {
      Object.assign(current, { domain: null, verifiedAt: null, lostAt: null, ssl: false, token: newToken() });
    });
  }

  @FieldResolver(() => enumTypes.DomainStatus)
  status(@Root() { domain, verifiedAt }: SiteDomain): EnumValue<'DomainStatus'> {
    if (!domain) return 'none';
    return verifiedAt ? 'verified' : 'pending';
  }

  @FieldResolver(() => enumTypes.DomainSsl)
  ssl(@Root() { ssl }: SiteDomain): EnumValue<'DomainSsl'> {
    return ssl ? 'active' : 'none';
  }

  @FieldResolver(() => String, { nullable: true, description: 'The name of the TXT record to add; null without a domain.' })
  recordName(@Root() { domain }: SiteDomain) {
    return domain && recordName(domain);
  }

  @FieldResolver(() => String, { nullable: true, description: 'The value of the TXT record to add; null without a domain.' })
  recordValue(@Root() domain: SiteDomain) {
    return domain.domain && recordValue(domain);
  }
}

@Resolver(() => Site)
export class DomainOfSiteResolver {
  @FieldResolver(() => SiteDomain)
  domain(@Ctx() scope: RequestScope, @Root() site: Site) {
    return domainOf(scope.within(site.organizationId), site);
  }
}

/** The name of the TXT record that proves the ownership of a domain. */
const recordName = (domain: string) => `_site-verification.${domain}`;
const recordValue = ({ token }: Pick<SiteDomain, 'token'>) => `site-verification=${token}`;

/** The domain of a site. Batches a list into one query. */
async function domainOf(scope: RequestScope, site: Site): Promise<SiteDomain> {
  const read = scope.batch('domains of sites', async (siteIds) => {
    const found = await readRows(scope, SiteDomain, { where: { siteId: siteIds } });
    return new Map(found.map((domain) => [domain.siteId, domain]));
  });
  return (await read(site.id)) ?? newDomain(site);
}

interface Holder {
  siteId: string;
  organizationId: string;
  token: string;
}

const HELD = 'Another site has verified this domain.';

/**
 * End the verification of another site, of any organization, whose record is not among those of the domain. Its audit log names the service,
 * because it must not learn who owns the domain now. Throws `CONFLICT` if the record is there.
 */
async function releaseDomain(
  scope: RequestScope,
  { siteId }: SiteDomain,
  domain: string,
  records: readonly string[],
): Promise<void> {
  const holding = sql`domain = ${domain} and verified_at is not null and site_id <> ${siteId}`;
  const [holder] = await query(
    scope.em,
    sql<Holder>`select site_id as "siteId", organization_id as "organizationId", token from site_content.domains where ${holding}`,
  );
  if (!holder) return;
  if (records.includes(recordValue(holder)))
    throw fail('CONFLICT', `${HELD} Remove its TXT record ${recordName(domain)} with the value ${recordValue(holder)} first.`);
  await query(
    scope.em,
    sql`with released as (
          update site_content.domains set verified_at = null, ssl = false, lost_at = now()
           where ${holding} and token = ${holder.token} returning organization_id, site_id)
        select identity.record_change(organization_id, 'domain', site_id, 'updated', '{verified_at}', '{"actor":"system"}') from released`,
  );
}

const changeDomain = (scope: RequestScope, siteId: string, edit: (domain: SiteDomain) => void): Promise<SiteDomain> =>
  editSite(scope, siteId, async (inner, site) => {
    const found = await inner.em.findOne(SiteDomain, { siteId: site.id }, { refresh: true });
    const domain = found ?? inner.em.create(SiteDomain, newDomain(site));
    edit(domain);
    await inner.em.flush().catch((error: unknown) => {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      const isVerified = (error as { constraint?: string }).constraint === 'domains_verified';
      throw fail('CONFLICT', isVerified ? HELD : 'Another request changed the domain. Please try again.');
    });
    return domain;
  });

function newDomain({ id, slug, organizationId }: Site): SiteDomain {
  // The end of the id makes the label unique.
  const subdomain = `${slug.slice(0, 50)}-${id.slice(-12)}`;
  // The id of the site, because the domain is read before it is stored.
  return Object.assign(new SiteDomain(), { id, siteId: id, organizationId, subdomain, token: newToken() });
}

const newToken = () => randomBytes(16).toString('hex');
