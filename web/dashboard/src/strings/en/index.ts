import { agentKnowledge } from './agent-knowledge.ts';
import { agents } from './agents.ts';
import { home } from './home.ts';
import { chat, inbox } from './inbox.ts';
import { jobs } from './jobs.ts';
import { newJob } from './new-job.ts';
import { products } from './products.ts';
import { review } from './review.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { values } from './values.ts';

/** All strings in English. The other languages have the same shape. */
export const en = {
  ...shell,
  signIn,
  home,
  agents: { ...agents, ...agentKnowledge },
  chat,
  inbox,
  jobs,
  newJob,
  products,
  review,
  values,
};

export type Strings = typeof en;
