import type { Word } from '../../../schema/words.ts';

/** What is to be filled in: the definition of one attribute, as the organization wrote it. */
export interface AttributeRequest {
  id: string;
  name: string;
  slug: string;
  type: Word<'AttributeType'>;
  prompt: string;
  categoryPrompt?: string | null;
  /** Labels a `select` or `multiselect` may take; empty means any. */
  options: readonly string[];
  /** The unit a number is wanted in. */
  unit?: string | null;
  constraints: Constraints;
}

export interface Constraints {
  minLength?: number;
  maxLength?: number;
  minWords?: number;
  maxWords?: number;
  min?: number;
  max?: number;
  /** Shown to the model; not enforced here. */
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  /** Of texts; what counts as a word or an entry of one depends on it. */
  format?: Word<'TextFormat'>;
}

export type AttributeValue = string | number | boolean | string[] | null;

/** The part of a definition that decides whether a value is sound. */
export type Rule = Pick<AttributeRequest, 'type' | 'options' | 'constraints'>;
