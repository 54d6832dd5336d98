import { field, output } from '../fields/index.ts';
import 'reflect-metadata';
import { ID, ObjectType } from 'type-graphql';

/** Base class of the payloads that confirm a deletion. */
@ObjectType()
export abstract class Deletion extends output({
  id: field(ID),
  deleted: field(Boolean, 'Always true.'),
}) {}
