import { ID } from 'type-graphql';
import type { Bind } from '../../../platform/database/index.ts';
import { args, field, list } from '../../../platform/fields/index.ts';
import { ONE_LINE } from '../../../schema/text.ts';

/** Tags of a conversation or a ticket. */
export const MAX_TAGS = 20;

/** The tags of a conversation or a ticket, which replace the earlier ones. */
export class TagsArguments extends args({
  id: field(ID),
  tags: list(String, { maxItems: MAX_TAGS, minLength: 1, maxLength: 40, pattern: ONE_LINE }),
}) {}

const normalTag = (tag: string): string => tag.trim().toLowerCase();

/** Tags in lower case, sorted and without duplicates. */
export const normalTags = (tags: readonly string[]): string[] => [...new Set(tags.map(normalTag).filter(Boolean))].sort();

/** Selects the rows with a tag, in any case. The index of tags serves it. */
export const hasTag = (tag: string) => (bind: Bind) => `r.tags @> array[${bind(normalTag(tag))}]::text[] and r.tags <> '{}'`;
