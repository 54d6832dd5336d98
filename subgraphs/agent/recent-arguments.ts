import { ArgsType, ID } from 'type-graphql';
import { args, field } from '../../platform/fields/index.ts';
import { ListSize } from '../../platform/lists/index.ts';
import { DEFAULT_LIMIT, ListLimit, Since } from './recent-scalars.ts';

/** The arguments of every list of the integration API. */
@ArgsType()
export class RecentArguments extends args({
  agentId: field(ID, { nullable: true, description: 'Only records of this agent.' }),
  since: field(Since, {
    nullable: true,
    description:
      'Only records created at or after this time. If there are more than `limit`, the oldest of them are returned, still sorted newest first.',
  }).as<Date>(),
  before: field(Since, {
    nullable: true,
    description:
      'Only records created before this time. Pass the time of the last record of a response to read the next older ones.',
  }).as<Date>(),
  limit: field(ListLimit, { nullable: true, defaultValue: DEFAULT_LIMIT, description: 'Default: 50.' }).as<number>(),
}) {}

/** Declares the length of a list of the integration API for the cost of an operation. */
export const RecentList = () => ListSize(DEFAULT_LIMIT);
