import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Tenant } from '../../common/tenant.ts';
import { Label } from '../labels/entity.ts';

@ObjectType({ description: 'A brand. Products belong to it whose brand is its name, in any case.' })
@Entity({ schema: 'catalog', tableName: 'brands' })
@Tenant()
export class Brand extends Label {}
