import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Label } from '../labels/entity.ts';

@ObjectType({ description: 'A product category. Products belong to it whose category is its name, in any case.' })
@Entity({ schema: 'catalog', tableName: 'categories' })
export class Category extends Label {}
