import {
  Arg,
  Args,
  Authorized,
  Ctx,
  Directive,
  FieldResolver,
  Float,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { args, field, output } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { ClientCount, FieldCount, OperationCount, SchemaVersion as Version } from '../../../platform/usage/index.ts';
import * as usage from '../../../platform/usage/index.ts';
import { fail } from '../../../schema/errors.ts';

@ObjectType({ description: 'The use of one part of the schema by the callers of all organizations.' })
class FieldUsage
  extends output({
    coordinate: field(
      String,
      'The schema coordinate of a field (`Product.name`), argument (`Query.product(id:)`), input field, enum value (`JobStatus.completed`) or type.',
    ),
    description: field(String, 'As in the schema; empty without one.'),
    deprecation: field(String, { optional: true, description: 'The reason of the deprecation; null if it is not deprecated.' }),
    requests: field(Float, 'Arguments, input fields and enum values in variables count only in the requests that sent them.'),
    clientCount: field(Int),
    lastUsedAt: field(Date, { nullable: true, description: 'Accurate to one hour. Null if it was not used.' }),
  })
  implements FieldCount
{
  clients!: string[];
}

@ObjectType({ description: 'Requests of one client.' })
class ClientUsage
  extends output({
    name: field(
      String,
      'The header `apollographql-client-name`, or else the name of the API key. Empty if the request had neither, and `*` for clients beyond the limits.',
    ),
    version: field(String, 'The header `apollographql-client-version`; empty without it.'),
    requests: field(Float),
  })
  implements ClientCount {}

@ObjectType({ description: 'The use of one operation by the callers of all organizations.' })
class OperationUsage
  extends output({
    hash: field(String, 'Identifies the operation. `*` for all operations beyond the limits.'),
    name: field(String, 'Empty for an operation without a name.'),
    label: field(String, 'The REST endpoint that runs the operation; empty for GraphQL.'),
    kind: field(String, '`query`, `mutation` or `subscription`.'),
    text: field(String, 'Without the values and aliases of its callers; empty if it is too long.'),
    requests: field(Float),
    errors: field(Float, 'Requests with errors in their response.'),
    p50: field(Float, 'Milliseconds that half of the requests took at most, rounded up by less than half.'),
    p95: field(Float, 'Milliseconds that 95 of 100 requests took at most.'),
    p99: field(Float, 'Milliseconds that 99 of 100 requests took at most.'),
    lastUsedAt: field(Date, 'Accurate to one hour.'),
    clientCount: field(Int),
  })
  implements OperationCount
{
  coordinates!: string[];

  clients!: ClientUsage[];
}

@ObjectType({ description: 'One page of parts of the schema.' })
class FieldUsagePage extends PageOf(FieldUsage, 'FieldUsagePage') {}

@ObjectType({ description: 'One page of operations.' })
class OperationUsagePage extends PageOf(OperationUsage, 'OperationUsagePage') {}

class FieldUsageArguments extends args(pageArguments(1_000, 10_000), {
  days: field(Int, { min: 1, max: 90, defaultValue: 30, description: 'The time before now that counts, in days.' }),
}) {}

class OperationUsageArguments extends args(pageArguments(50), {
  days: field(Int, { min: 1, max: 90, defaultValue: 30, description: 'The time before now that counts, in days.' }),
  search: field(String, {
    minLength: 1,
    maxLength: 100,
    nullable: true,
    description: 'A part of the name, or of the REST endpoint.',
  }),
  coordinate: field(String, {
    minLength: 1,
    maxLength: 300,
    nullable: true,
    description: 'Only operations that use this part of the schema.',
  }),
  client: field(String, {
    minLength: 1,
    maxLength: 64,
    nullable: true,
    description: 'Only requests of the client with this name.',
  }),
}) {}

@ObjectType({ description: 'A schema that the graph served to its callers.' })
class SchemaVersion
  extends output({
    hash: field(String, 'Identifies the schema.'),
    text: field(String, 'SDL with descriptions.'),
    createdAt: field(Date, 'When a gateway served it first.'),
    seenAt: field(Date, 'When a gateway began to serve it last.'),
  })
  implements Version {}

@ObjectType({ description: 'One page of schemas.' })
class SchemaVersionPage extends PageOf(SchemaVersion, 'SchemaVersionPage') {}

class SchemaVersionArguments extends pageArguments(1, 20) {}

@ObjectType({ description: 'A subgraph of a published schema.' })
class PublishedSubgraph extends output({
  name: field(String),
  url: field(String, 'Empty if the gateways know the address from their configuration.'),
}) {}

@ObjectType({ description: 'A schema that somebody published for the gateways that follow the registry.' })
class PublishedSchema extends output({
  version: field(Int, 'Counts from 1. Gateways serve the highest.'),
  author: field(String, 'As the publisher named it.'),
  publishedAt: field(Date),
  restored: field(Int, { nullable: true, description: 'The earlier version that this one brings back.' }),
  verdict: field(
    String,
    'Of the check of its changes since the version before: `safe`, `breaks` (recorded operations; somebody accepted it) or `unknown`.',
  ),
  report: field(String, 'The check in Markdown.'),
}) {
  subgraphs!: PublishedSubgraph[];
}

@ObjectType({ description: 'One page of published schemas.' })
class PublishedSchemaPage extends PageOf(PublishedSchema, 'PublishedSchemaPage') {}

class PublishedSchemaArguments extends pageArguments(20, 50) {}

@ObjectType({ description: 'A difference between two schemas.' })
class SchemaChange extends output({
  coordinate: field(String, 'The schema coordinate of the changed part.'),
  message: field(String),
  isBreaking: field(Boolean, 'Whether valid operations may fail, or read values of another type.'),
}) {}

@ObjectType({ description: 'The differences between two published schemas, as their callers see them.' })
class SchemaDiff extends output({
  text: field(String, 'The changed definitions as a unified diff, each below its name.'),
  others: field(Int, 'Changed definitions beyond the limits (200,000 characters), which the other fields leave out.'),
}) {
  changes!: readonly SchemaChange[];
}

@Resolver(() => FieldUsage)
export class FieldUsageResolver {
  @Authorized('operator')
  @Query(() => FieldUsagePage, {
    description:
      'The parts of the schema and their use by all callers, sorted by coordinate. A killed process loses the counts of its last 10 seconds.',
  })
  fieldUsage(@Ctx() { services }: RequestScope, @Args(() => FieldUsageArguments) { days, ...page }: FieldUsageArguments) {
    return usage.pageOf(page, (slice) => usage.listFieldUsage(usage.registryIn(services.pool), { days, ...slice }));
  }

  @ListSize(usage.MAX_CLIENTS)
  @FieldResolver(() => [String], { description: 'The names of up to 20 clients, most requests first.' })
  clients(@Root() { clients }: FieldUsage) {
    return clients;
  }
}

@Resolver(() => OperationUsage)
export class OperationUsageResolver {
  @Authorized('operator')
  @Query(() => OperationUsagePage, { description: 'The operations that any caller ran, most requests first.' })
  operationUsage(@Ctx() { services }: RequestScope, @Args(() => OperationUsageArguments) request: OperationUsageArguments) {
    return usage.pageOf(request, (slice) => usage.listOperationUsage(usage.registryIn(services.pool), { ...request, ...slice }));
  }

  @ListSize(usage.MAX_CLIENTS)
  @FieldResolver(() => [ClientUsage], { description: 'Up to 20 clients, most requests first.' })
  clients(@Root() { clients }: OperationUsage) {
    return clients;
  }

  @ListSize(200)
  @FieldResolver(() => [String], { description: 'The parts of the schema that the operation uses, sorted.' })
  coordinates(@Root() { coordinates }: OperationUsage) {
    return coordinates.toSorted();
  }
}

@Resolver()
export class SchemaVersionResolver {
  @Authorized('operator')
  @Query(() => SchemaVersionPage, { description: 'The schemas that the graph served to its callers, the current one first.' })
  schemaVersions(@Ctx() { services }: RequestScope, @Args(() => SchemaVersionArguments) page: SchemaVersionArguments) {
    return usage.pageOf(page, (slice) => usage.listSchemas(usage.registryIn(services.pool), slice));
  }
}

@Resolver(() => PublishedSchema)
export class PublishedSchemaResolver {
  @Authorized('operator')
  @Query(() => PublishedSchemaPage, { description: 'The last 200 schemas that were published, the current one first.' })
  publishedSchemas(@Ctx() { services }: RequestScope, @Args(() => PublishedSchemaArguments) page: PublishedSchemaArguments) {
    return usage.pageOf(page, (slice) => usage.listPublished(usage.registryIn(services.pool), slice));
  }

  @ListSize(20)
  @FieldResolver(() => [PublishedSubgraph], { description: 'Sorted by name; empty if it was published as a supergraph.' })
  subgraphs(@Root() { subgraphs }: PublishedSchema) {
    return subgraphs;
  }
}

@Resolver(() => SchemaDiff)
export class SchemaDiffResolver {
  @Authorized('operator')
  @Query(() => SchemaDiff, { description: 'Compares two published schemas.' })
  async schemaDiff(
    @Ctx() { services }: RequestScope,
    @Arg('from', () => Int, { description: 'The version before.' }) from: number,
    @Arg('to', () => Int, { description: 'The version after.' }) to: number,
  ): Promise<SchemaDiff> {
    const diff = await usage.diffPublished(usage.registryIn(services.pool), from, to);
    return diff ?? Promise.reject(fail('NOT_FOUND', 'Schema not found'));
  }

  @ListSize(100)
  @FieldResolver(() => [SchemaChange], { description: 'Those that can break operations first.' })
  changes(@Root() { changes }: SchemaDiff) {
    return changes;
  }
}

/** The gateway calls it. Not part of the public API. */
@Access('public')
@Resolver()
export class UsageRecordingResolver {
  @Directive('@inaccessible')
  @Mutation(() => [String])
  recordUsage(@Ctx() { services }: RequestScope, @Arg('batch', () => String) batch: string): Promise<string[]> {
    return usage.recordUsage(usage.registryIn(services.pool), JSON.parse(batch));
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean)
  async recordSchema(@Ctx() { services }: RequestScope, @Arg('schema', () => String) schema: string): Promise<boolean> {
    await usage.recordSchema(usage.registryIn(services.pool), JSON.parse(schema));
    return true;
  }
}
