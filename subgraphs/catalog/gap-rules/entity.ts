import { GraphQLJSONObject } from 'graphql-scalars';
import { Float, ID, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { GapSelection } from './types.ts';

@ObjectType({ description: 'A rule that starts enrichment jobs by itself for products that lack values.' })
@Table('catalog.gap_rules')
export class GapRule extends columns(Owned, {
  name: column('text', 'Unique in the organization, ignoring case.'),
  selection: column(GraphQLJSONObject, {
    type: 'json',
    description: 'The products, like `selection` of the input.',
  }).as<GapSelection>(),
  attributeSetId: column(ID, { type: 'uuid', nullable: true }),
  attributeIds: column('uuids', { nullable: true }),
  modelType: column(enumTypes.ModelType, { type: 'text' }),
  websearch: column('boolean', 'Whether its jobs also search the web.'),
  agreement: column('boolean', 'Whether its jobs read the sources twice.'),
  autoAccept: column('double', { nullable: true, description: 'The precision at which its jobs accept values without a person.' }),
  maxCredits: column(Float, { type: 'credits', description: 'The credits that its jobs of a calendar month (UTC) may cost.' }),
  triggers: column([enumTypes.GapTrigger], { type: 'array', description: 'When it looks for products.' }),
  paused: column('boolean', { initial: false, description: 'A paused rule starts no jobs.' }),
  haltedBy: column(enumTypes.GapRuleHalt, {
    type: 'text',
    nullable: true,
    description: 'The reason for which the rule starts no jobs. Null if there is none, or if a person paused it.',
  }),
  createdById: hidden('uuid'),
  createdAt: column('datetime', { initial: clock.now }),
  isScanning: column('boolean', { initial: true, description: 'Whether a check of all products is under way or about to begin.' }),
  checkedAt: column('datetime', { nullable: true, description: 'When it last looked for products.' }),
}) {}
