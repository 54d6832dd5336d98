import type { TypedDocumentNode } from 'urql';
import type { PublicationFilter, PublicationStatus } from '../../.graph/graphql.ts';
import type { Strings } from '../strings/en/index.ts';

export type KindName = 'pages' | 'posts' | 'authors' | 'categories' | 'collections' | 'forms' | 'items';

/** The values of the fields of a record, by name. */
export type Values = Record<string, unknown>;

/** A record of a site. Only pages, posts and items are published. */
export interface SiteRecord {
  id: string;
  version: number;
  updatedAt: string;
  status?: PublicationStatus;
  publishedAt?: string | null;
  publishAt?: string | null;
}

/** Where a record is. Only items have a collection; it is empty otherwise. */
export interface Place {
  siteId: string;
  collectionId: string;
}

/** A field of the items of a collection, or of a form. */
export interface Column {
  name: string;
  label?: string | null;
  type: string;
  required: boolean;
  options: string[];
  collectionId?: string | null;
}

export type FieldType =
  | 'text'
  | 'slug'
  | 'path'
  | 'lines'
  | 'html'
  | 'url'
  | 'number'
  | 'boolean'
  | 'date'
  | 'option'
  | 'record'
  | 'records'
  | 'columns';

/** A field of the editor of a record. */
export interface Field {
  name: string;
  /** A key of the strings, or the label itself. */
  label: string;
  type: FieldType;
  required?: boolean;
  maxLength?: number;
  options?: readonly string[];
  of?: KindName;
  /** The collection of the items to choose from. */
  collectionId?: string;
  /** The types that the columns of a collection or form can have. */
  columnTypes?: readonly string[];
  /** The server derives an empty value, such as the path of a page from its slug. */
  derived?: boolean;
}

type ById = { id: string };
type Named<Record> = TypedDocumentNode<{ record: Record }, ById>;

/** The operations on one kind of record, with the same variables and aliases for all kinds. */
export interface Kind<Record extends SiteRecord = SiteRecord> {
  fields: Field[];
  list: TypedDocumentNode<
    { list: { nodes: Record[]; pagination: { total: number } } },
    Place & { status: PublicationFilter; page: number; limit: number }
  >;
  read: TypedDocumentNode<{ record: Record }, Place & ById>;
  create: TypedDocumentNode<{ record: ById }, Place & { input: never }>;
  change: TypedDocumentNode<{ record: ById }, ById & { version: number; input: never }>;
  remove: Named<ById>;
  publish?: Named<SiteRecord>;
  unpublish?: Named<SiteRecord>;
  schedule?: TypedDocumentNode<{ record: SiteRecord }, ById & { publishAt: string }>;
  title(record: Record): string;
  /** The second line in lists, such as the path. */
  address(record: Record): string;
  valuesOf(record: Record): Values;
  /** The input for the server from changed values. */
  inputOf?(values: Values, record: Record | undefined): Values;
}

/** Infers the record type of a kind, and hides it from the pages, which only pass records back. */
export const defineKind = <Record extends SiteRecord>(kind: Kind<Record>): Kind => kind as unknown as Kind;

/** Whether two values of a field are equal, including lists. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export const isEmpty = (value: unknown): boolean =>
  value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The label of a field: one of the strings, or the name that people gave it. */
export const labelOf = ({ label }: Field, { content }: Strings): string => content.fields[label] ?? label;
