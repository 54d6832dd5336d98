import type { EntityManager } from '@mikro-orm/postgresql';
import type { Scope } from '../../common/scope.ts';
import type { Services } from '../../common/services.ts';

/** A scope of an organization without a caller, for visitors and for work that outlives its request. */
export function scopeOf(services: Services, organizationId: string): Scope {
  const em = services.orm.em.fork() as EntityManager;
  em.setFilterParams('organization', { id: organizationId });
  return { em, organizationId, services };
}
