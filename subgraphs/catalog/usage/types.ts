import { ArgsType, Field, Float, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { ClientCount, FieldCount, OperationCount, SchemaVersion as Version } from '../../../platform/usage/index.ts';

@ObjectType({ description: 'The use of one part of the schema by the callers of all organizations.' })
export class FieldUsage implements FieldCount {
  @Field(() => String, {
    description:
      'The schema coordinate of a field (`Product.name`), argument (`Query.product(id:)`), input field, enum value (`JobStatus.completed`) or type.',
  })
  coordinate!: string;

  @Field(() => String, { description: 'As in the schema; empty without one.' })
  description!: string;

  @Field(() => String, { nullable: true, description: 'The reason of the deprecation; null if it is not deprecated.' })
  deprecation?: string | null;

  @Field(() => Float, {
    description: 'Arguments, input fields and enum values in variables count only in the requests that sent them.',
  })
  requests!: number;

  @Field(() => Int)
  clientCount!: number;

  clients!: string[];

  @Field(() => Date, { nullable: true, description: 'Accurate to one hour. Null if it was not used.' })
  lastUsedAt!: Date | null;
}

@ObjectType({ description: 'Requests of one client.' })
export class ClientUsage implements ClientCount {
  @Field(() => String, {
    description:
      'The header `apollographql-client-name`, or else the name of the API key. Empty if the request had neither, and `*` for clients beyond the limits.',
  })
  name!: string;

  @Field(() => String, { description: 'The header `apollographql-client-version`; empty without it.' })
  version!: string;

  @Field(() => Float)
  requests!: number;
}

@ObjectType({ description: 'The use of one operation by the callers of all organizations.' })
export class OperationUsage implements OperationCount {
  @Field(() => String, { description: 'Identifies the operation. `*` for all operations beyond the limits.' })
  hash!: string;

  @Field(() => String, { description: 'Empty for an operation without a name.' })
  name!: string;

  @Field(() => String, { description: 'The REST endpoint that runs the operation; empty for GraphQL.' })
  label!: string;

  @Field(() => String, { description: '`query`, `mutation` or `subscription`.' })
  kind!: string;

  @Field(() => String, { description: 'Without the values and aliases of its callers; empty if it is too long.' })
  text!: string;

  coordinates!: string[];

  @Field(() => Float)
  requests!: number;

  @Field(() => Float, { description: 'Requests with errors in their response.' })
  errors!: number;

  @Field(() => Float, { description: 'Milliseconds that half of the requests took at most, rounded up by less than half.' })
  p50!: number;

  @Field(() => Float, { description: 'Milliseconds that 95 of 100 requests took at most.' })
  p95!: number;

  @Field(() => Float, { description: 'Milliseconds that 99 of 100 requests took at most.' })
  p99!: number;

  @Field(() => Date, { description: 'Accurate to one hour.' })
  lastUsedAt!: Date;

  @Field(() => Int)
  clientCount!: number;

  clients!: ClientUsage[];
}

@ObjectType({ description: 'One page of parts of the schema.' })
export class FieldUsagePage extends PageOf(FieldUsage, 'FieldUsagePage') {}

@ObjectType({ description: 'One page of operations.' })
export class OperationUsagePage extends PageOf(OperationUsage, 'OperationUsagePage') {}

@ArgsType()
export class FieldUsageArguments extends pageArguments(1_000, 10_000) {
  @Limited({ min: 1, max: 90 })
  @Field(() => Int, { defaultValue: 30, description: 'The time before now that counts, in days.' })
  days!: number;
}

@ArgsType()
export class OperationUsageArguments extends pageArguments(50) {
  @Limited({ min: 1, max: 90 })
  @Field(() => Int, { defaultValue: 30, description: 'The time before now that counts, in days.' })
  days!: number;

  @Limited({ minLength: 1, maxLength: 100 })
  @Field(() => String, { nullable: true, description: 'A part of the name, or of the REST endpoint.' })
  search?: string;

  @Limited({ minLength: 1, maxLength: 300 })
  @Field(() => String, { nullable: true, description: 'Only operations that use this part of the schema.' })
  coordinate?: string;

  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { nullable: true, description: 'Only requests of the client with this name.' })
  client?: string;
}

@ObjectType({ description: 'A schema that the graph served to its callers.' })
class SchemaVersion implements Version {
  @Field(() => String, { description: 'Identifies the schema.' })
  hash!: string;

  @Field(() => String, { description: 'SDL with descriptions.' })
  text!: string;

  @Field(() => Date, { description: 'When a gateway served it first.' })
  createdAt!: Date;

  @Field(() => Date, { description: 'When a gateway began to serve it last.' })
  seenAt!: Date;
}

@ObjectType({ description: 'One page of schemas.' })
export class SchemaVersionPage extends PageOf(SchemaVersion, 'SchemaVersionPage') {}

@ArgsType()
export class SchemaVersionArguments extends pageArguments(1, 20) {}
