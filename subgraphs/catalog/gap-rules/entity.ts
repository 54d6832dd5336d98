import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Float, ID, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { GapSelection } from './types.ts';

@ObjectType({ description: 'A rule that starts enrichment jobs by itself for products that lack values.' })
@Entity({ schema: 'catalog', tableName: 'gap_rules' })
export class GapRule extends Owned {
  @FieldProperty({ type: 'text', description: 'Unique in the organization, ignoring case.' })
  name!: string;

  @FieldProperty(() => GraphQLJSONObject, { type: 'json', description: 'The products, like `selection` of the input.' })
  selection!: GapSelection;

  @FieldProperty(() => ID, { type: 'uuid', nullable: true })
  attributeSetId: string | null = null;

  @FieldProperty(() => [ID], { type: 'array', columnType: 'uuid[]', nullable: true })
  attributeIds: string[] | null = null;

  @FieldProperty(() => enumTypes.ModelType, { type: 'text' })
  modelType!: EnumValue<'ModelType'>;

  @FieldProperty({ type: 'boolean', description: 'Whether its jobs also search the web.' })
  websearch!: boolean;

  @FieldProperty({ type: 'boolean', description: 'Whether its jobs read the sources twice.' })
  agreement!: boolean;

  @FieldProperty({ type: 'double', nullable: true, description: 'The precision at which its jobs accept values without a person.' })
  autoAccept: number | null = null;

  @FieldProperty(() => Float, {
    type: 'decimal',
    precision: 16,
    scale: 4,
    runtimeType: 'number',
    description: 'The credits that its jobs of a calendar month (UTC) may cost.',
  })
  maxCredits!: number;

  @FieldProperty(() => [enumTypes.GapTrigger], { type: 'array', description: 'When it looks for products.' })
  triggers!: EnumValue<'GapTrigger'>[];

  @FieldProperty({ type: 'boolean', description: 'A paused rule starts no jobs.' })
  paused: Opt<boolean> = false;

  @FieldProperty(() => enumTypes.GapRuleHalt, {
    type: 'text',
    nullable: true,
    description: 'The reason for which the rule starts no jobs. Null if there is none, or if a person paused it.',
  })
  haltedBy: EnumValue<'GapRuleHalt'> | null = null;

  @Property({ type: 'uuid' })
  createdById!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'boolean', description: 'Whether a check of all products is under way or about to begin.' })
  isScanning: Opt<boolean> = true;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When it last looked for products.' })
  checkedAt: Date | null = null;
}
