import { Directive, ID, InputType, Int, ObjectType } from 'type-graphql';
import { column, columns, Deletion, hidden, Owned, Table, timestamps } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { SNAPSHOT } from '../../../platform/progress/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK } from '../../../schema/text.ts';

/** A question and its answer, as stored. */
export interface QuestionAndAnswer {
  question: string;
  answer: string;
}

@ObjectType({
  description: 'A knowledge source of an agent: a web page or site, a text or a file, or a list of questions and answers.',
})
@Directive('@key(fields: "id")')
@Table('agent.sources')
export class Source extends columns(Owned, {
  agentId: column('uuid'),
  type: column(enumTypes.SourceType, '`text` also for a source with a `file`.'),
  name: column('string', { length: 255 }),
  url: column('text', { nullable: true, description: 'The first page of a source of type `url`.' }),
  text: hidden('text', { nullable: true, lazy: true }),
  qa: hidden('json', { nullable: true, lazy: true }).as<QuestionAndAnswer[]>(),
  fileId: hidden('uuid', { nullable: true }),
  fileName: hidden('string', { nullable: true, length: 255 }),
  fileBytes: hidden('integer', { nullable: true }),
  status: column(enumTypes.SourceStatus, {
    initial: 'queued',
    description: 'The agent keeps answering from the previous content until a source is `ready` again.',
  }),
  error: column('text', { nullable: true, description: 'The reason of the status `failed`.' }),
  pageCount: column('integer', { initial: 0, description: 'Pages that were read, of a site or a PDF. 0 for other content.' }),
  failedPageCount: column('integer', { initial: 0, description: 'Pages that could not be read.' }),
  pageTotal: column('integer', { initial: 0, description: 'Pages that were found, up to the limit of the service.' }),
  chunkCount: column('integer', { initial: 0, description: 'Passages that the agent can answer from.' }),
  suspiciousCount: column('integer', {
    initial: 0,
    description: 'Passages that read like instructions to the agent. An answer that repeats one always shows its source.',
  }),
  refreshInterval: column(enumTypes.RefreshInterval, { initial: 'never', description: 'How often the pages are read again.' }),
  /** Counts the runs of the ingestion. */
  run: hidden('integer', { initial: 0 }),
  sequence: hidden('count', { initial: 0 }),
  lastIndexedAt: column('datetime', { nullable: true, description: 'When the content was last replaced or confirmed.' }),
  ...timestamps,
}) {}

@ObjectType({
  description: 'The uploaded file of a knowledge source: a PDF, a Word document (.docx), Markdown, plain text or HTML.',
})
export class SourceFile extends output({
  name: field(String, 'As it was uploaded. The name of the source can differ.'),
  bytes: field(Int, 'Size of the file.'),
}) {}

@ObjectType({ description: 'A part of the file of a knowledge source.' })
export class SourceFilePart extends output({
  name: field(String, 'Name of the file.'),
  content: field(String, 'The bytes of the part in base64.'),
  next: field(String, { nullable: true, description: 'The cursor of the next part. Null for the last one.' }),
}) {}

@ObjectType({ description: 'A page of a knowledge source.' })
@Table('agent.source_pages')
export class SourcePage extends columns(Owned, {
  sourceId: hidden('uuid'),
  url: column('text'),
  ordinal: hidden('integer'),
  status: column(enumTypes.SourcePageStatus),
  error: column('text', { nullable: true, description: 'The reason of the status `failed`.' }),
  title: column('text', { nullable: true }),
  lastSeenAt: column('datetime', { nullable: true, description: 'When the page was last read successfully.' }),
}) {}

@InputType({ description: 'A question with its answer.' })
class NewQuestionAndAnswer extends input({
  question: field(String, { minLength: 1, maxLength: 2_000, pattern: NOT_BLANK }),
  answer: field(String, { minLength: 1, maxLength: 20_000, pattern: NOT_BLANK }),
}) {}

@InputType({ description: 'A knowledge source to create. Send the content that belongs to its type, and no other.' })
export class NewSource extends input({
  type: field(enumTypes.SourceType),
  name: field(String, { minLength: 1, maxLength: 255, pattern: NOT_BLANK }),
  url: field(String, {
    minLength: 1,
    maxLength: 2_048,
    format: 'uri',
    nullable: true,
    description: 'For the type `url`: a page, or a site with a sitemap, which is read as a whole.',
  }),
  text: field(String, {
    minLength: 1,
    maxLength: 1_000_000,
    pattern: NOT_BLANK,
    nullable: true,
    description: 'For the type `text`. Lines that start with `#` are headings.',
  }),
  qa: list(NewQuestionAndAnswer, { minItems: 1, maxItems: 1_000, nullable: true, description: 'For the type `qa`.' }),
  refreshInterval: field(enumTypes.RefreshInterval, {
    nullable: true,
    description: 'How often the pages of the type `url` are read again. Default: `never`.',
  }),
}) {}

@InputType({ description: 'Changes to a knowledge source. Omitted fields stay unchanged; no field can be null.' })
export class SourceChange extends input({
  name: field(String, { minLength: 1, maxLength: 255, pattern: NOT_BLANK, notNull: true, nullable: true }),
  refreshInterval: field(enumTypes.RefreshInterval, { notNull: true, nullable: true, description: 'Only for the type `url`.' }),
}) {}

@ObjectType({ description: 'A question with its answer.' })
export class QuestionAndAnswerType extends output({
  question: field(String),
  answer: field(String),
}) {}

@ObjectType({ description: 'A passage that reads like instructions to the agent.' })
export class SuspiciousPassage extends output({
  id: field(ID),
  url: field(String, { nullable: true, description: 'The page that contains the passage.' }),
  title: field(String, { nullable: true, description: 'The title of the page.' }),
  page: field(Int, { nullable: true, description: 'The page of a PDF on which the passage begins, from 1.' }),
  headings: list(String, 'The headings above the passage, outermost first.'),
  text: field(String),
}) {}

@ObjectType({ description: 'Confirms that a knowledge source was deleted.' })
export class DeletedSource extends Deletion {}

@ObjectType({ description: 'The state of a knowledge source after one or more changes.' })
export class SourceUpdate extends output({
  sourceId: field(ID),
  sequence: field(Int, 'Number of the last change in this update.'),
  isSnapshot: field(Boolean, SNAPSHOT),
  status: field(enumTypes.SourceStatus),
  error: field(String, { nullable: true, description: 'The reason of the status `failed`.' }),
  pageCount: field(Int, 'Pages that were read in this run.'),
  failedPageCount: field(Int, 'Pages that could not be read in this run.'),
  pageTotal: field(Int, 'Pages that were found in this run.'),
  stagedCount: field(Int, 'Passages of the new content.'),
  embeddedCount: field(Int, 'Passages of the new content that have a vector.'),
  chunkCount: field(Int, 'Passages that the agent can answer from.'),
}) {}

/** Files of one request. */
export const MAX_FILES = 20;

export class UploadedSources extends args({
  files: list(ID, { minItems: 1, maxItems: MAX_FILES, description: 'Ids that the REST endpoint assigned to the stored files.' }),
}) {}

export class UploadedSource extends args({
  files: list(ID, {
    minItems: 1,
    maxItems: 1,
    description: 'The id that the REST endpoint assigned to the stored file. Exactly one.',
  }),
}) {}

export class SourcePagesArguments extends args(pageArguments(50), {
  sourceId: field(ID),
  status: field(enumTypes.SourcePageStatus, { nullable: true, description: 'Only pages with this status.' }),
}) {}

@ObjectType({ description: 'One page of the list of pages.' })
export class SourcePagePage extends PageOf(SourcePage, 'SourcePagePage') {}
