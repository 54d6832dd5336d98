import { ObjectType } from 'type-graphql';
import { Table } from '../../../platform/database/index.ts';
import { Label } from '../labels/entity.ts';

@ObjectType({ description: 'A product category. A product belongs to it if its `category` equals the name, ignoring case.' })
@Table('catalog.categories')
export class Category extends Label {}
