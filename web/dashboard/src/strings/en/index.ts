import { home } from './home.ts';
import { jobs } from './jobs.ts';
import type { OnDemandStrings } from './on-demand.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { values } from './values.ts';

/** The strings of the shell, the start page and the sign-in. */
export const en = { ...shell, home, jobs, signIn, values };

export type FirstStrings = typeof en;
/** All strings of a language. The other languages have the same shape. */
export type Strings = FirstStrings & OnDemandStrings;
