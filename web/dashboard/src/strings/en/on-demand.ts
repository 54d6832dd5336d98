/** Strings of all pages but the first ones. They load with the first page that needs them. */

export { agents } from './agents.ts';
export { attributes, confidence, labels, review } from './catalog.ts';
export { content } from './content.ts';
export { figures, tests, versions } from './evaluation.ts';
export { gapRules, imports, mapping, newJob, sample } from './imports-and-jobs.ts';
export { chat, inbox, officeHours } from './inbox.ts';
export { productEdits, productExports, productGrid, products, productViews, sorting } from './products.ts';
export { audit, credits, keys, palette, schema, settings, storage } from './settings.ts';
export { deliveries, webhooks } from './webhooks.ts';
