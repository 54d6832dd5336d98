import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
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
import { ValueFault, valueFaults } from './value-limits.ts';

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
  attribute(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return attributes.findAttribute(scope, id);
  }

  @Authorized('member')
  @Query(() => AttributeSet, { nullable: true, description: 'One attribute set by id.' })
  attributeSet(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
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

  @Authorized('admin')
  @Idempotent()
  @Mutation(() => Attribute, { description: 'Create an attribute. An organization can have up to 1,000.' })
  createAttribute(@Ctx() scope: RequestScope, @Arg('input', () => NewAttribute) input: NewAttribute) {
    return attributes.createAttribute(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => Attribute, {
    description: 'Change an attribute. Its slug and type are fixed, because existing values depend on them.',
  })
  updateAttribute(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => AttributeChange) input: AttributeChange,
  ) {
    return attributes.updateAttribute(scope, id, input);
  }

  @Authorized('admin')
  @Mutation(() => Deleted, { description: 'Delete an attribute. Products keep the values they have.' })
  deleteAttribute(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return attributes.deleteAttribute(scope, id);
  }

  @Authorized('admin')
  @Idempotent()
  @Mutation(() => AttributeSet, { description: 'Create an attribute set. An organization can have up to 1,000.' })
  createAttributeSet(@Ctx() scope: RequestScope, @Args(() => NewAttributeSet) input: NewAttributeSet) {
    return attributes.createAttributeSet(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => AttributeSet, { description: 'Rename an attribute set or replace its attributes.' })
  updateAttributeSet(@Ctx() scope: RequestScope, @Args(() => AttributeSetChange) input: AttributeSetChange) {
    return attributes.updateAttributeSet(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => Deleted, { description: 'Delete an attribute set. Its attributes remain.' })
  deleteAttributeSet(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
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
