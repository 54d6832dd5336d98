import { agentKnowledge } from './agent-knowledge.ts';
import { agents } from './agents.ts';
import { attributes, sorting } from './attributes.ts';
import { content } from './content.ts';
import { deliveries } from './deliveries.ts';
import { home } from './home.ts';
import { imports } from './imports.ts';
import { chat, inbox } from './inbox.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import type { OnDemandStrings } from './on-demand.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { values } from './values.ts';

/** All strings in English. The other languages have the same shape. */
export const en = {
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
};
/** The strings of the shell, the start page and the sign-in. */
export const en = { ...shell, home, jobs, signIn, values };

export type FirstStrings = typeof en;
/** All strings of a language. The other languages have the same shape. */
export type Strings = FirstStrings & OnDemandStrings;
