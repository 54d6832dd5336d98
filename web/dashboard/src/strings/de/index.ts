import type { Strings } from '../en/index.ts';
import { agentKnowledge } from './agent-knowledge.ts';
import { agents } from './agents.ts';
import { attributes, sorting } from './attributes.ts';
import { content } from './content.ts';
import { deliveries } from './deliveries.ts';
import { home } from './home.ts';
import { imports } from './imports.ts';
import { chat, inbox } from './inbox.ts';
import { jobs } from './jobs.ts';
import { newJob } from './new-job.ts';
import { products } from './products.ts';
import { review } from './review.ts';
import { audit, credits, keys, settings } from './settings.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { values } from './values.ts';
import { webhooks } from './webhooks.ts';

export const de = {
  ...shell,
  agents: { ...agents, ...agentKnowledge },
  attributes,
  sorting,
  content,
  deliveries,
  home,
  imports,
  chat,
  inbox,
  jobs,
  newJob,
  products,
  review,
  settings,
  keys,
  credits,
  audit,
  signIn,
  values,
  webhooks,
} satisfies Strings;
