import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { column, columns, Deletion, hidden, Owned, SoftDeleted, Table, timestamps } from '../../../platform/database/index.ts';
import { field, input, list, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { OfficeHours } from './office-hours.ts';

/** The initializers are the defaults of a new agent. A setting that is set to null returns to its default. */
@ObjectType({ description: 'A chat agent. Only owners and admins of its organization can read it.' })
@Directive('@key(fields: "id")')
@SoftDeleted()
@Table('agent.agents')
export class Agent extends columns(Owned, {
  name: column('string', { length: 255 }),
  slug: column('string', { length: 64, description: 'Unique within the organization.' }),
  publicSlug: column('string', {
    length: 128,
    description: 'Identifies the agent on public endpoints and in the embed snippet. Unique across organizations.',
  }),
  modelType: column(enumTypes.AgentModelType, { initial: 'agent-chat-v1' }),
  systemPrompt: hidden('text', { initial: '', lazy: true }),
  welcomeMessage: column('text', { initial: '', description: 'The first message that visitors see.' }),
  placeholder: column('text', { initial: '', description: 'Shown in the empty chat input.' }),
  suggestedMessages: column('array', { initial: [], description: 'Quick replies that visitors see before the first message.' }),
  temperature: column('double', { initial: 0.7, description: 'Sampling temperature of the model, 0 to 2.' }),
  theme: column(GraphQLJSONObject, {
    type: 'json',
    initial: {},
    description: 'Appearance of the widget, for example `primary` and `bubble`.',
  }).as<Record<string, unknown>>(),
  branding: column(GraphQLJSONObject, {
    type: 'json',
    initial: {},
    description: 'Branding of the widget, for example `poweredByVisible`.',
  }).as<Record<string, unknown>>(),
  allowedOrigins: column('array', { initial: [], description: 'Origins that may embed the widget. They must match exactly.' }),
  maxTokensPerMessage: column('integer', { initial: 1_024, description: 'Token limit of one answer.' }),
  maxRetrievalTokens: column('integer', {
    initial: 4_000,
    description: 'Token limit of the knowledge that goes into one answer, which is at most 60 passages.',
  }),
  publicAccess: column('boolean', { initial: true, description: 'Whether the public endpoints serve the agent.' }),
  voiceEnabled: column('boolean', { initial: false, description: 'Whether visitors can talk to the agent by voice.' }),
  dailyCreditLimit: column('integer', {
    initial: 1_000,
    description: 'Credits per day (UTC) that visitors of the widget may use. Beyond them the agent is unavailable.',
  }),
  retentionDays: column('integer', {
    nullable: true,
    description: 'Days after its last message that a conversation is deleted; null keeps it.',
  }),
  officeHours: column(OfficeHours, {
    type: 'json',
    nullable: true,
    description: 'When people answer visitors who ask for one; null means always.',
  }),
  requireApprovals: column('boolean', {
    initial: false,
    description:
      'Whether calls of all tools that write need an approval, unless the owner of a tool confirmed otherwise. Links and images of replies then lead only to hosts of the sources and tools.',
  }),
  identityKeysUrl: column('text', {
    nullable: true,
    description: 'URL of the JSON Web Key Set with which the site signs identity tokens (RS256 or ES256); null without one.',
  }),
  catalogAccess: column('boolean', {
    initial: false,
    description: 'Whether the agent may search the products of its organization and read their values.',
  }),
  catalogAttributes: column('array', {
    initial: [],
    description: 'Slugs of the attributes that the agent may read. Empty means all.',
  }),
  productPage: column('text', {
    nullable: true,
    description: 'Address of the page of a product, with `{{sku}}` or `{{externalId}}`; null if products have no page.',
  }),
  productPictures: column('boolean', {
    initial: true,
    description: 'Whether the widget loads pictures of products, from the hosts of the pictures.',
  }),
  draftOf: column('uuid', {
    nullable: true,
    description: 'The agent whose draft this is; null for an agent that visitors talk to.',
  }),
  /** The version of that agent from which the draft began. */
  draftBase: hidden('integer', { nullable: true }),
  /** The version that equals the agent. A trigger sets it to null when the agent changes. */
  liveVersion: hidden('integer', { nullable: true, optional: true, lazy: true, persist: true }),
  ...timestamps,
  deletedAt: hidden('datetime', { nullable: true }),
}) {}

/** An SQL condition: the agent of a row is not deleted. `row` is the alias of a table with `agent_id`. */
export const ofPresentAgent = (row: string): string =>
  `exists (select from agent.agents a where a.id = ${row}.agent_id and a.deleted_at is null)`;

@InputType({
  description: 'Changes to an agent. Omitted fields stay unchanged; null resets a field to its default.',
})
export class AgentChange extends input({
  name: field(String, { minLength: 1, maxLength: 255, nullable: true, description: 'Must not be null.' }),
  modelType: field(enumTypes.AgentModelType, { nullable: true, description: 'Default: `agent-chat-v1`.' }),
  systemPrompt: field(String, { maxLength: 100_000, nullable: true, description: 'Default: empty.' }),
  welcomeMessage: field(String, { maxLength: 4_000, nullable: true, description: 'The first message that visitors see.' }),
  placeholder: field(String, { maxLength: 255, nullable: true, description: 'Shown in the empty chat input.' }),
  suggestedMessages: list(String, {
    maxItems: 20,
    minLength: 1,
    maxLength: 500,
    nullable: true,
    description: 'Quick replies that visitors see before the first message.',
  }),
  temperature: field(Float, { min: 0, max: 2, nullable: true, description: 'Sampling temperature of the model. Default: 0.7.' }),
  theme: field(GraphQLJSONObject, {
    nullable: true,
    description: 'Appearance of the widget, for example `primary` and `bubble`. At most 20,000 characters of JSON.',
  }).as<Record<string, unknown>>(),
  branding: field(GraphQLJSONObject, {
    nullable: true,
    description: 'Branding of the widget, for example `poweredByVisible`. At most 20,000 characters of JSON.',
  }).as<Record<string, unknown>>(),
  allowedOrigins: list(String, {
    maxItems: 100,
    format: 'uri',
    nullable: true,
    description: 'Origins that may embed the widget, such as `https://shop.example.com`. They must match exactly.',
  }),
  maxTokensPerMessage: field(Int, {
    min: 64,
    max: 8_000,
    nullable: true,
    description: 'Token limit of one answer. Default: 1,024.',
  }),
  maxRetrievalTokens: field(Int, {
    min: 0,
    max: 16_000,
    nullable: true,
    description: 'Token limit of the knowledge that goes into one answer, which is at most 60 passages. Default: 4,000.',
  }),
  publicAccess: field(Boolean, { nullable: true, description: 'Whether the public endpoints serve the agent. Default: true.' }),
  voiceEnabled: field(Boolean, { nullable: true, description: 'Whether visitors can talk to the agent by voice. Default: false.' }),
  dailyCreditLimit: field(Int, {
    min: 0,
    max: 1_000_000,
    nullable: true,
    description: 'Credits per day (UTC) that visitors of the widget may use. Default: 1,000.',
  }),
  retentionDays: field(Int, {
    min: 1,
    max: 3_650,
    nullable: true,
    description: 'Days after its last message that a conversation is deleted. Default: never.',
  }),
  requireApprovals: field(Boolean, {
    nullable: true,
    description: 'Whether calls of all tools that write need an approval. Default: false.',
  }),
  identityKeysUrl: field(String, {
    minLength: 1,
    maxLength: 2_000,
    format: 'uri',
    nullable: true,
    description:
      'URL of the JSON Web Key Set with which the site signs identity tokens, by https. Their audience must be `publicSlug`. Default: none.',
  }),
  catalogAccess: field(Boolean, {
    nullable: true,
    description:
      'Whether the agent may search the products of its organization and read their values. Visitors then see them. Default: false.',
  }),
  catalogAttributes: list(String, {
    maxItems: 500,
    minLength: 1,
    maxLength: 128,
    nullable: true,
    description: 'Slugs of the attributes that the agent may read. Default: empty, which means all.',
  }),
  productPage: field(String, {
    maxLength: 2_000,
    nullable: true,
    description:
      'Address of the page of a product, such as `https://shop.example.com/p/{{sku}}`, by https. `{{sku}}` and `{{externalId}}` stand for the product. Cards and citations of products lead there. Default: none.',
  }),
  productPictures: field(Boolean, {
    nullable: true,
    description:
      'Whether the widget loads pictures of products. Browsers of visitors then ask the hosts of the pictures. Default: true.',
  }),
}) {}

@InputType({ description: 'The settings of a new agent.' })
export class NewAgent extends input(AgentChange, {
  name: field(String, { minLength: 1, maxLength: 255 }),
  slug: field(String, {
    minLength: 1,
    maxLength: 64,
    pattern: /^[a-z0-9][a-z0-9_-]*$/,
    nullable: true,
    description: 'Unique within the organization. Default: derived from the name.',
  }),
}) {}

@ObjectType({ description: 'The part of an agent that every member of its organization can read.' })
export class AgentSummary extends output({
  id: field(ID),
  name: field(String),
  publicSlug: field(String, 'Identifies the agent on public endpoints.'),
}) {}

@ObjectType({ description: 'Confirms that an agent was deleted.' })
export class DeletedAgent extends Deletion {}
