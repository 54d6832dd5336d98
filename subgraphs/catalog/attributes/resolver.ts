import { Arg, Args, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { AttributeValuesScalar } from './attribute-content.ts';
import {
  Attribute,
  AttributeChange,
  AttributeSet,
  AttributeSetAttribute,
  AttributeSetChange,
  Deleted,
  NewAttribute,
  NewAttributeSet,
  SubjectArguments,
} from './entity.ts';
import * as attributes from './service.ts';
import { ValueFault, valueFaults } from './value-faults.ts';

@Access('admin')
@Resolver(() => AttributeSet)
export class AttributeSetResolver {
  @Authorized('member')
  @ListSize(50)
  @Query(() => [AttributeSet], { description: 'All attribute sets of a subject, sorted by name.' })
  attributeSets(@Ctx() scope: RequestScope, @Args(() => SubjectArguments) { subject }: SubjectArguments) {
    return attributes.listAttributeSets(scope, subject);
  }

  @Authorized('member')
  @ListSize(attributes.MAX_LISTED)
  @Query(() => [Attribute], { description: 'All attributes of a subject, sorted by name.' })
  attributes(@Ctx() scope: RequestScope, @Args(() => SubjectArguments) { subject }: SubjectArguments) {
    return attributes.listAttributes(scope, subject);
  }

  @Authorized('member')
  @Query(() => Attribute, { nullable: true, description: 'One attribute by id.' })
  attribute(@Ctx() scope: RequestScope, @Id() id: string) {
    return attributes.findAttribute(scope, id);
  }

  @Authorized('member')
  @Query(() => AttributeSet, { nullable: true, description: 'One attribute set by id.' })
  attributeSet(@Ctx() scope: RequestScope, @Id() id: string) {
    return attributes.findSet(scope, id);
  }

  @Authorized('member')
  @ListSize(50)
  @Query(() => [ValueFault], {
    description:
      'The values that do not meet the limits of their product attributes. They can be stored, but no job would write them.',
  })
  attributeValueFaults(@Ctx() scope: RequestScope, @Arg('values', () => AttributeValuesScalar) values: unknown) {
    return valueFaults(scope, values);
  }

  @Idempotent()
  @Mutation(() => Attribute, { description: 'Create an attribute. An organization can have up to 1,000.' })
  createAttribute(@Ctx() scope: RequestScope, @Arg('input', () => NewAttribute) input: NewAttribute) {
    return attributes.createAttribute(scope, input);
  }

  @Mutation(() => Attribute, {
    description: 'Change an attribute. Its slug and type are fixed, because existing values depend on them.',
  })
  updateAttribute(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => AttributeChange) input: AttributeChange) {
    return attributes.updateAttribute(scope, id, input);
  }

  @Mutation(() => Deleted, { description: 'Delete an attribute. Products keep the values they have.' })
  deleteAttribute(@Ctx() scope: RequestScope, @Id() id: string) {
    return attributes.deleteAttribute(scope, id);
  }

  @Idempotent()
  @Mutation(() => AttributeSet, { description: 'Create an attribute set. An organization can have up to 1,000.' })
  createAttributeSet(@Ctx() scope: RequestScope, @Args(() => NewAttributeSet) input: NewAttributeSet) {
    return attributes.createAttributeSet(scope, input);
  }

  @Mutation(() => AttributeSet, { description: 'Rename an attribute set or replace its attributes.' })
  updateAttributeSet(@Ctx() scope: RequestScope, @Args(() => AttributeSetChange) input: AttributeSetChange) {
    return attributes.updateAttributeSet(scope, input);
  }

  @Mutation(() => Deleted, { description: 'Delete an attribute set. Its attributes remain.' })
  deleteAttributeSet(@Ctx() scope: RequestScope, @Id() id: string) {
    return attributes.deleteAttributeSet(scope, id);
  }

  @ListSize(50)
  @FieldResolver(() => [AttributeSetAttribute], { description: 'In display order.' })
  attributeSetAttributes(@Ctx() scope: RequestScope, @Root() { id }: AttributeSet) {
    return attributes.positionsOf(scope, id);
  }
}

@Resolver(() => AttributeSetAttribute)
export class AttributeSetAttributeResolver {
  @FieldResolver(() => Attribute)
  attribute(@Ctx() scope: RequestScope, @Root() { attributeId }: AttributeSetAttribute) {
    return scope.load(Attribute, attributeId);
  }
}
