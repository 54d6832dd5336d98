import type { FirstStrings } from '../en/index.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { values } from './values.ts';

export const de = { ...shell, home, jobs, signIn, values } satisfies FirstStrings;
