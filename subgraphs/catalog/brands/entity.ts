import { ObjectType } from 'type-graphql';
import { Table } from '../../../platform/database/index.ts';
import { Label } from '../labels/entity.ts';

@ObjectType({ description: 'A brand. A product belongs to it if its `brand` equals the name, ignoring case.' })
@Table('catalog.brands')
export class Brand extends Label {}
