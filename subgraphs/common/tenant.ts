import 'reflect-metadata';
import { Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';

/**
 * Marks an entity as rows of one organization. Every find, count, update and delete through an entity manager of a scope is
 * bound to the scope's organization; without a scope such an entity cannot be read at all.
 */
export const Tenant = (): ClassDecorator =>
  Filter({ name: 'organization', cond: (scope) => ({ organizationId: scope.id }), default: true }) as ClassDecorator;

/** A row of one organization, with an id of its own. */
@ObjectType()
@Tenant()
export abstract class Owned {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @Property({ type: 'uuid' })
  organizationId!: string;
}
