import type { Word } from '../../../schema/words.ts';

/** The definition of an attribute that the model fills in. */
export interface AttributeRequest {
  id: string;
  name: string;
  slug: string;
  type: Word<'AttributeType'>;
  prompt: string;
  categoryPrompt?: string | null;
  /** Allowed labels of a `select` or `multiselect`; empty allows any. */
  options: readonly string[];
  /** The unit of a number. */
  unit?: string | null;
  constraints: Constraints;
  /** Typical values, written by a person. */
  examples?: readonly string[];
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
  /** Format of a text. It defines words and entries. */
  format?: Word<'TextFormat'>;
}

export type AttributeValue = string | number | boolean | string[] | null;

/** The part of a definition that validates values. */
export type Rule = Pick<AttributeRequest, 'type' | 'options' | 'constraints'>;
