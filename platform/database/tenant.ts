import 'reflect-metadata';
import { Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';

/**
 * Marks an entity whose rows belong to one organization. The entity manager of a scope restricts every find, count, update and delete to
 * its organization. Without a scope, such an entity cannot be read.
 */
export const Tenant = (): ClassDecorator =>
  Filter({ name: 'organization', cond: (scope) => ({ organizationId: scope.id }), default: true }) as ClassDecorator;

/**
 * Marks an entity whose rows belong to one workspace, named by `property`. A key that is bound to a workspace finds and changes no other
 * rows. Other callers are not restricted.
 */
export const OfWorkspace = (property: string): ClassDecorator =>
  Filter({
    name: 'workspace',
    // Absent for callers that are not restricted.
    cond: (bound) => (bound ? ({ [property]: bound.id } as object) : {}),
    args: false,
    default: true,
  }) as ClassDecorator;

/** Marks an entity whose deleted rows have a `deletedAt` until a sweep removes them. No read finds them. */
export const SoftDeleted = (): ClassDecorator =>
  Filter({ name: 'present', cond: () => ({ deletedAt: null }) as object, default: true }) as ClassDecorator;

/** Base class of entities with an id that belong to one organization. */
@ObjectType()
@Tenant()
export abstract class Owned {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @Property({ type: 'uuid' })
  organizationId!: string;
}
