import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';

/** All strings in English. The other languages have the same shape. */
export const en = { ...shell, signIn, home, jobs };

export type Strings = typeof en;
