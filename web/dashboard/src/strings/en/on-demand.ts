import { agentExtensions } from './agent-extensions.ts';
import { agentKnowledge } from './agent-knowledge.ts';
import { agents } from './agents.ts';
import { attributes, sorting } from './attributes.ts';
import { confidence } from './confidence.ts';
import { content } from './content.ts';
import { deliveries } from './deliveries.ts';
import { imports } from './imports.ts';
import { chat, inbox } from './inbox.ts';
import { newJob } from './new-job.ts';
import { products } from './products.ts';
import { review } from './review.ts';
import { audit, credits, keys, settings, storage } from './settings.ts';
import { webhooks } from './webhooks.ts';

/** Strings of all pages but the first ones. They load with the first page that needs them. */
export const onDemand = {
  agents: { ...agents, ...agentKnowledge, ...agentExtensions },
  attributes,
  sorting,
  confidence,
  content,
  deliveries,
  imports,
  chat,
  inbox,
  newJob,
  products,
  review,
  settings,
  storage,
  keys,
  credits,
  audit,
  webhooks,
};

export type OnDemandStrings = typeof onDemand;
