import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { User } from '../../../platform/identity/index.ts';
import type { SignIn } from '../../../schema/session.ts';

@ObjectType({ description: 'A sign-in of the caller to the dashboard, on one device.' })
export class Session {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'Browser and operating system, such as `Firefox on Linux`.' })
  device!: string;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date, { description: 'Accurate to one minute.' })
  lastUsedAt!: Date;

  @Field(() => Date, { description: '14 days after the last use, at the latest 90 days after the sign-in.' })
  expiresAt!: Date;

  @Field(() => Boolean, { description: 'Whether this request belongs to the session.' })
  isCurrent!: boolean;
}

@ObjectType()
@Directive('@inaccessible')
export class SignInAnswer {
  @Field(() => User, { nullable: true })
  user!: User | null;

  @Field(() => String, { nullable: true })
  organization!: string | null;

  @Field(() => String, { nullable: true })
  refusal!: SignIn['refusal'];
}

@ObjectType()
@Directive('@inaccessible')
export class SessionAnswer {
  @Field(() => User)
  user!: User;

  @Field(() => Date)
  expiresAt!: Date;
}
