import { Filter } from '@mikro-orm/decorators/legacy';

/**
 * Marks an entity as rows of one organization. Every find, count, update and delete through an entity manager of a scope is
 * bound to the scope's organization; without a scope such an entity cannot be read at all.
 */
export const Tenant = (): ClassDecorator =>
  Filter({ name: 'organization', cond: (scope) => ({ organizationId: scope.id }), default: true }) as ClassDecorator;
