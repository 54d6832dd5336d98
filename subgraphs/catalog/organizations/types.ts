import { Directive, Float, ID, Int, ObjectType } from 'type-graphql';
import { args, field, list, NAME, output, SLUG } from '../../../platform/fields/index.ts';
import { ApiKey, CreditEntry, User } from '../../../platform/identity/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enums } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { FileStorage } from '../uploads/entity.ts';

@ObjectType({ description: 'A user as a member of an organization.' })
export class Member extends output({
  user: field(User),
  role: field(enumTypes.Role),
  joinedAt: field(Date),
}) {}

@ObjectType({ description: 'A new API key and its value.' })
export class CreatedApiKey extends output({
  key: field(String, {
    nullable: true,
    description:
      'The value for `x-api-key`. Store it: it cannot be read again. Null in the response to a repeated `Idempotency-Key`.',
  }),
  apiKey: field(ApiKey),
}) {}

@ObjectType({ description: 'One page of credit entries.' })
export class CreditEntryPage extends PageOf(CreditEntry, 'CreditEntryPage') {}

export class CreditEntriesArguments extends pageArguments(20) {}

export class NewOrganization extends args({
  name: field(String, { ...NAME }),
  slug: field(String, { ...SLUG, description: 'Identifies the organization in REST paths. Unique across organizations.' }),
}) {}

export class OrganizationChange extends args({
  name: field(String, { ...NAME, nullable: true }),
  slug: field(String, { ...SLUG, nullable: true, description: 'REST paths with the old slug stop working.' }),
}) {}

export class UserChange extends args({
  name: field(String, { ...NAME }),
}) {}

export class NewApiKey extends args({
  name: field(String, { ...NAME, description: 'The purpose of the key. Create one key per service or environment.' }),
  expiresAt: field(Date, { nullable: true, description: 'When the key expires. Default: never.' }),
  toolGroups: list(enumTypes.ToolGroup, {
    maxItems: enums.ToolGroup.values.length,
    notNull: true,
    nullable: true,
    description: 'The MCP tools that the key may call. Default: the groups that change nothing.',
  }),
  workspaceId: field(ID, {
    nullable: true,
    description:
      'Bind the key to this workspace of the organization: it reaches the site content of the workspace and nothing else. ' +
      'Deleting the workspace deletes the key. Default: not bound.',
  }),
}) {}

export class ApiKeyChange extends args({
  id: field(ID),
  toolGroups: list(enumTypes.ToolGroup, { maxItems: enums.ToolGroup.values.length }),
}) {}

@ObjectType({ description: 'The rate limit of a request and the reason to refuse it.' })
@Directive('@inaccessible')
export class AdmissionAnswer extends output({
  limit: field(Int),
  remaining: field(Int),
  reset: field(Int),
  refusal: field(() => AdmissionRefusal, { optional: true }),
  organizationId: field(ID, { optional: true, description: 'The organization of the request.' }),
  userId: field(ID, { optional: true, description: 'The user of the request, or the agent.' }),
  clientName: field(String, { optional: true, description: 'The name of the key of the request.' }),
}) {}

@ObjectType()
@Directive('@inaccessible')
class AdmissionRefusal extends output({
  code: field(String),
  message: field(String),
}) {}

@ObjectType({ description: 'The tool groups of a key, and the reason to refuse a tool call.' })
@Directive('@inaccessible')
export class ToolAccessAnswer extends output({
  groups: list(enumTypes.ToolGroup),
  refusal: field(AdmissionRefusal, { optional: true }),
}) {}

@ObjectType({ description: 'The storage that one kind of data takes.' })
class StorageUseOfKind extends output({
  kind: field(enumTypes.StorageKind),
  bytes: field(Float),
}) {}

@ObjectType({
  description: 'The storage that an organization takes. Bytes are those of the content, with an allowance for each row.',
})
export class OrganizationStorage extends output({
  bytes: field(Float, 'Bytes of all kinds of data.'),
  limit: field(Float, {
    nullable: true,
    description:
      'The quota. Writes beyond it fail with `STORAGE_FULL`, and so do items of jobs; deletions always work. Null if there is none.',
  }),
  kinds: list(StorageUseOfKind, { assumedSize: enums.StorageKind.values.length, description: 'All kinds of data.' }),
  files: field(FileStorage, 'Uploaded files, which have a quota of their own.'),
}) {}
