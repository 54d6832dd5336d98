import { Arg, Ctx, FieldResolver, InputType, Mutation, Query, Resolver, Root } from 'type-graphql';
import { field, Id, input } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { EDITORS } from '../content/entity.ts';
import { Site } from '../sites/entity.ts';
import { SiteDomain } from './entity.ts';
import * as domains from './service.ts';

@InputType({ description: 'The domain of a site.' })
export class SiteDomainInput extends input({
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
  @Query(() => SiteDomain, { nullable: true, description: 'The domain of a site.' })
  siteDomain(@Ctx() scope: RequestScope, @Id('siteId') siteId: string) {
    return domains.findDomain(scope, siteId);
  }

  @Mutation(() => SiteDomain, {
    description: `Set the domain of a site. Add its TXT record, then call \`verifySiteDomain\`. ${EDITORS}`,
  })
  setSiteDomain(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Arg('input', () => SiteDomainInput) { domain }: SiteDomainInput,
  ) {
    return domains.setDomain(scope, siteId, domain);
  }

  @Mutation(() => SiteDomain, {
    description: `Check the TXT record that proves the ownership of the domain of a site. A domain that another site has verified moves if the record of that site is missing. ${EDITORS}`,
  })
  verifySiteDomain(@Ctx() scope: RequestScope, @Id('siteId') siteId: string) {
    return domains.verifyDomain(scope, siteId);
  }

  @Mutation(() => SiteDomain, { description: `Remove the domain of a site. ${EDITORS}` })
  removeSiteDomain(@Ctx() scope: RequestScope, @Id('siteId') siteId: string) {
    return domains.removeDomain(scope, siteId);
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
    return domain && domains.recordName(domain);
  }

  @FieldResolver(() => String, { nullable: true, description: 'The value of the TXT record to add; null without a domain.' })
  recordValue(@Root() domain: SiteDomain) {
    return domain.domain && domains.recordValue(domain);
  }
}

@Resolver(() => Site)
export class DomainOfSiteResolver {
  @FieldResolver(() => SiteDomain)
  domain(@Ctx() scope: RequestScope, @Root() site: Site) {
    return domains.domainOf(scope.within(site.organizationId), site);
  }
}
