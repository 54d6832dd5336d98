import type { Strings } from '../en/index.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { newJob } from './new-job.ts';
import { products } from './products.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { values } from './values.ts';

export const de = { ...shell, signIn, home, jobs, newJob, products, values } satisfies Strings;
