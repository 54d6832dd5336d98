import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';

@InputType({ description: 'A new value of a secret.' })
export class SecretChange {
  @Limited({ minLength: 1, maxLength: 8_192 })
  @Field(() => String, { description: 'Stored encrypted, and never returned.' })
  value!: string;
}

@InputType({ description: 'The name and the value of a new secret.' })
export class NewSecret extends SecretChange {
  @Limited({ minLength: 1, maxLength: 64, pattern: /^[A-Z][A-Z0-9_]*$/ })
  @Field(() => String, { description: 'The name in placeholders. Unique within the organization.' })
  name!: string;
}

@ObjectType({ description: 'Confirms that a secret was deleted.' })
export class DeletedSecret {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}
