import type { AttributeDefinition } from '../enrichment/ask-model.ts';

type Default = Pick<AttributeDefinition, 'slug' | 'name' | 'type' | 'prompt' | 'constraints'>;

/** Used for categories while the organization has no category attributes of its own. */
const defaults: Default[] = [
  {
    slug: 'page_title',
    name: 'Page Title',
    type: 'text',
    prompt: 'Write the title of the category page in Title Case, at most 60 characters, with the keyword near the front.',
    constraints: { maxLength: 60, format: 'title-case' },
  },
  {
    slug: 'meta_description',
    name: 'Meta Description',
    type: 'text',
    prompt: 'Write a meta description of at most 160 characters that leads with the benefit and includes the keyword.',
    constraints: { maxLength: 160 },
  },
  {
    slug: 'meta_keywords',
    name: 'Meta Keywords',
    type: 'text',
    prompt: 'Write 5 to 10 keywords for the category in lower case, separated by commas.',
    constraints: { minItems: 5, maxItems: 10, format: 'keywords' },
  },
  {
    slug: 'description',
    name: 'Description',
    type: 'html',
    prompt: 'Write a description of the category, 150 to 350 words of HTML wrapped in one div, with h2 headings and a ul list.',
    constraints: { minWords: 150, maxWords: 350, format: 'html-section' },
  },
  {
    slug: 'slug',
    name: 'URL Slug',
    type: 'text',
    prompt: 'Write the slug of the category page: kebab-case, 3 to 5 words, at most 75 characters.',
    constraints: { maxLength: 75, minWords: 3, maxWords: 5, format: 'kebab-case' },
  },
  {
    slug: 'focus_keywords',
    name: 'Focus Keywords',
    type: 'text',
    prompt: 'Write the primary keyword of the category: 1 to 3 words in lower case.',
    constraints: { minWords: 1, maxWords: 3, format: 'lowercase' },
  },
];

/** The slug serves as the id, because these attributes are not stored. */
export const defaultCategoryAttributes: AttributeDefinition[] = defaults.map((each) => ({
  ...each,
  id: each.slug,
  categoryPrompt: null,
  options: [],
  examples: [],
  unit: null,
}));
