import type { AttributeRequest } from '../../subgraphs/catalog/extraction/attribute.ts';

type LabelAttribute = Omit<AttributeRequest, 'id'>;

/** Attributes of the sample brands and categories, which jobs fill in from the enriched products. */
export const labelAttributes: Record<'brand' | 'category', LabelAttribute[]> = {
  brand: [
    {
      slug: 'manufacturer',
      name: 'Manufacturer',
      type: 'text',
      prompt: 'The company that makes the products of the brand.',
      options: [],
      constraints: { maxLength: 120 },
    },
    {
      slug: 'brand-description',
      name: 'Brand description',
      type: 'text',
      prompt: 'One or two sentences on what the brand makes, taken from the material.',
      options: [],
      constraints: { maxLength: 320 },
    },
    {
      slug: 'certifications',
      name: 'Certifications',
      type: 'multiselect',
      prompt: 'Marks and certificates that the products of the brand carry.',
      options: ['CE', 'UKCA', 'GS', 'FSC', 'RoHS', 'OEKO-TEX', 'Energy Star', 'bluesign'],
      constraints: { maxItems: 8 },
    },
  ],
  category: [
    {
      slug: 'category-description',
      name: 'Category description',
      type: 'text',
      prompt: 'One or two sentences that introduce the category, taken from the material.',
      options: [],
      constraints: { maxLength: 320 },
    },
    {
      slug: 'power-sources',
      name: 'Power sources',
      type: 'multiselect',
      prompt: 'What drives the products of the category.',
      options: ['Battery', 'Mains', 'Solar', 'Gas', 'Manual'],
      constraints: { maxItems: 5 },
    },
    {
      slug: 'colors',
      name: 'Colors',
      type: 'multiselect',
      prompt: 'The colors in which products of the category are available. Also stated as "color".',
      options: ['Black', 'White', 'Grey', 'Silver', 'Red', 'Orange', 'Yellow', 'Green', 'Blue', 'Beige', 'Brown'],
      constraints: { maxItems: 11 },
    },
  ],
};
