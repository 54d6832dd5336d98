import { Field, Int, ObjectType } from 'type-graphql';
import { SNAPSHOT } from '../../../platform/progress/index.ts';

@ObjectType({
  description: 'One or more consecutive changes of the jobs, credits or reviews of an organization, or their current state.',
})
export class OrganizationUpdate {
  @Field(() => Int, { description: 'Number of the last change in this update. Pass it as `after` to resume from here.' })
  sequence!: number;

  @Field(() => Boolean, { description: SNAPSHOT })
  isSnapshot!: boolean;

  @Field(() => Date, { description: 'Time of the last change in this update.' })
  at!: Date;

  jobIds!: string[];
}
