import type { Strings } from '../en/index.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';

export const de = { ...shell, signIn, home, jobs } satisfies Strings;
