import { Arg, Args, Authorized, Ctx, Directive, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import * as usage from '../../../platform/usage/index.ts';
import { fail } from '../../../schema/errors.ts';
import {
  ClientUsage,
  FieldUsage,
  FieldUsageArguments,
  FieldUsagePage,
  OperationUsage,
  OperationUsageArguments,
  OperationUsagePage,
  PublishedSchema,
  PublishedSchemaArguments,
  PublishedSchemaPage,
  PublishedSubgraph,
  SchemaChange,
  SchemaDiff,
  SchemaVersionArguments,
  SchemaVersionPage,
} from './types.ts';

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
