import 'reflect-metadata';
import { Field, ID, ObjectType } from 'type-graphql';

/** Base class of the payloads that confirm a deletion. */
@ObjectType()
export abstract class Deletion {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}
