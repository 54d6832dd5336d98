import { Directive, Field, InputType, ObjectType } from 'type-graphql';
import { enumTypes } from '../../../schema/scalars.ts';
import { Limited } from '../../input/index.ts';
import { ListSize } from '../../lists/index.ts';
import type { Check, FamilyReport, SignedRequest } from './signature-check.ts';

// Several subgraphs check signatures.
@Directive('@shareable')
@ObjectType({ description: 'The result of one check of a signature.' })
export class SignatureCheck implements Check {
  @Field(() => enumTypes.SignatureCheckName)
  name!: Check['name'];

  @Field(() => Boolean)
  passed!: boolean;

  @Field(() => String, { nullable: true, description: 'Why the check failed, and what to do; null if it passed.' })
  reason!: string | null;
}

@Directive('@shareable')
@ObjectType({ description: 'The checks of one family of signature headers. A receiver needs only one family.' })
export class SignatureReport implements FamilyReport {
  @Field(() => enumTypes.SignatureFamily)
  family!: FamilyReport['family'];

  @Field(() => Boolean, { description: 'Whether a correct receiver accepts the delivery: all checks passed.' })
  accepted!: boolean;

  @ListSize(7)
  @Field(() => [SignatureCheck])
  checks!: SignatureCheck[];
}

@InputType({ description: 'A delivery as its receiver has it. Nothing of it is stored or logged.' })
export class ReceivedDelivery implements SignedRequest {
  @Limited({ maxLength: 16_384 })
  @Field(() => String, { description: 'The headers, as lines of `name: value` or as a JSON object.' })
  headers!: string;

  @Limited({ maxLength: 100_000 })
  @Field(() => String, { description: 'The body that the receiver verified.' })
  body!: string;

  @Limited({ maxLength: 1_000 })
  @Field(() => String, { description: 'The signing secret. Send it as a variable, because texts of operations may be stored.' })
  secret!: string;

  @Field(() => Date, { nullable: true, description: 'When the receiver got the delivery. Default: now.' })
  receivedAt?: Date | null;
}
