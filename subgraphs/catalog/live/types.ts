import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'One or more consecutive changes of the jobs, credits or reviews of an organization.' })
export class OrganizationUpdate {
  @Field(() => Int, { description: 'Number of the last change in this update. Pass it as `after` to resume from here.' })
  sequence!: number;

  @Field(() => Date, { description: 'Time of the last change in this update.' })
  at!: Date;

  jobIds!: string[];
}
