import { ArgsType, Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { ApiKey, CreditEntry, User } from '../../../platform/identity/index.ts';
import { Limited, NAME, SLUG } from '../../../platform/input/index.ts';
import { ListSize, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { FileStorage } from '../uploads/entity.ts';

@ObjectType({ description: 'A user as a member of an organization.' })
export class Member {
  @Field(() => User)
  user!: User;

  @Field(() => enumTypes.Role)
  role!: EnumValue<'Role'>;

  @Field(() => Date)
  joinedAt!: Date;
}

@ObjectType({ description: 'A new API key and its value.' })
export class CreatedApiKey {
  @Field(() => String, {
    nullable: true,
    description:
      'The value for `x-api-key`. Store it: it cannot be read again. Null in the response to a repeated `Idempotency-Key`.',
  })
  key!: string | null;

  @Field(() => ApiKey)
  apiKey!: ApiKey;
}

@ObjectType({ description: 'One page of credit entries.' })
export class CreditEntryPage extends PageOf(CreditEntry, 'CreditEntryPage') {}

@ArgsType()
export class CreditEntriesArguments extends pageArguments(20) {}

@ArgsType()
export class NewOrganization {
  @Limited(NAME)
  @Field(() => String)
  name!: string;

  @Limited(SLUG)
  @Field(() => String, { description: 'Identifies the organization in REST paths. Unique across organizations.' })
  slug!: string;
}

@ArgsType()
export class OrganizationChange {
  @Limited(NAME)
  @Field(() => String, { nullable: true })
  name?: string;

  @Limited(SLUG)
  @Field(() => String, { nullable: true, description: 'REST paths with the old slug stop working.' })
  slug?: string;
}

@ArgsType()
export class UserChange {
  @Limited(NAME)
  @Field(() => String)
  name!: string;
}

@ArgsType()
export class NewApiKey {
  @Limited(NAME)
  @Field(() => String, { description: 'The purpose of the key. Create one key per service or environment.' })
  name!: string;

  @Field(() => Date, { nullable: true, description: 'When the key expires. Default: never.' })
  expiresAt?: Date;

  @Limited({ maxItems: enums.ToolGroup.values.length, notNull: true })
  @Field(() => [enumTypes.ToolGroup], {
    nullable: true,
    description: 'The MCP tools that the key may call. Default: the groups that change nothing.',
  })
  toolGroups?: EnumValue<'ToolGroup'>[];

  @Field(() => ID, {
    nullable: true,
    description:
      'Bind the key to this workspace of the organization: it reaches the site content of the workspace and nothing else. ' +
      'Deleting the workspace deletes the key. Default: not bound.',
  })
  workspaceId?: string | null;
}

@ArgsType()
export class ApiKeyChange {
  @Field(() => ID)
  id!: string;

  @Limited({ maxItems: enums.ToolGroup.values.length })
  @Field(() => [enumTypes.ToolGroup])
  toolGroups!: EnumValue<'ToolGroup'>[];
}

@ObjectType({ description: 'The rate limit of a request and the reason to refuse it.' })
@Directive('@inaccessible')
export class AdmissionAnswer {
  @Field(() => Int)
  limit!: number;

  @Field(() => Int)
  remaining!: number;

  @Field(() => Int)
  reset!: number;

  @Field(() => AdmissionRefusal, { nullable: true })
  refusal?: AdmissionRefusal | null;

  @Field(() => ID, { nullable: true, description: 'The organization of the request.' })
  organizationId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The user of the request, or the agent.' })
  userId?: string | null;

  @Field(() => String, { nullable: true, description: 'The name of the key of the request.' })
  clientName?: string | null;
}

@ObjectType()
@Directive('@inaccessible')
class AdmissionRefusal {
  @Field(() => String)
  code!: string;

  @Field(() => String)
  message!: string;
}

@ObjectType({ description: 'The tool groups of a key, and the reason to refuse a tool call.' })
@Directive('@inaccessible')
export class ToolAccessAnswer {
  @Field(() => [enumTypes.ToolGroup])
  groups!: EnumValue<'ToolGroup'>[];

  @Field(() => AdmissionRefusal, { nullable: true })
  refusal?: AdmissionRefusal | null;
}

@ObjectType({ description: 'The storage that one kind of data takes.' })
class StorageUseOfKind {
  @Field(() => enumTypes.StorageKind)
  kind!: EnumValue<'StorageKind'>;

  @Field(() => Float)
  bytes!: number;
}

@ObjectType({
  description: 'The storage that an organization takes. Bytes are those of the content, with an allowance for each row.',
})
export class OrganizationStorage {
  @Field(() => Float, { description: 'Bytes of all kinds of data.' })
  bytes!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'The quota. Writes beyond it fail with `STORAGE_FULL`, and so do items of jobs; deletions always work. Null if there is none.',
  })
  limit!: number | null;

  @ListSize(enums.StorageKind.values.length)
  @Field(() => [StorageUseOfKind], { description: 'All kinds of data.' })
  kinds!: StorageUseOfKind[];

  @Field(() => FileStorage, { description: 'Uploaded files, which have a quota of their own.' })
  files!: FileStorage;
}
