import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Label } from '../labels/entity.ts';

@ObjectType({ description: 'A product category. A product belongs to it if its `category` equals the name, ignoring case.' })
@Entity({ schema: 'catalog', tableName: 'categories' })
export class Category extends Label {}
