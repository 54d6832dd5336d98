import type { Strings } from '../en/index.ts';
import { agentKnowledge } from './agent-knowledge.ts';
import { agents } from './agents.ts';
import { attributes, sorting } from './attributes.ts';
import { content } from './content.ts';
import { deliveries } from './deliveries.ts';
import { home } from './home.ts';
import { imports } from './imports.ts';
import { chat, inbox } from './inbox.ts';
import type { FirstStrings } from '../en/index.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { values } from './values.ts';

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
export const de = { ...shell, home, jobs, signIn, values } satisfies FirstStrings;
