import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Label } from '../labels/entity.ts';

@ObjectType({ description: 'A brand. A product belongs to it if its `brand` equals the name, ignoring case.' })
@Entity({ schema: 'catalog', tableName: 'brands' })
export class Brand extends Label {}
