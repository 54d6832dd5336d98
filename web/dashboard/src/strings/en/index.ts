import { deliveries } from './deliveries.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { webhooks } from './webhooks.ts';

/** All strings in English. The other languages have the same shape. */
export const en = { ...shell, signIn, home, jobs, webhooks, deliveries };

export type Strings = typeof en;
