import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Label } from '../labels/entity.ts';

@ObjectType({ description: 'A brand. Products belong to it whose brand is its name, in any case.' })
@Entity({ schema: 'catalog', tableName: 'brands' })
export class Brand extends Label {}
