import { concurrency } from './scenarios/concurrency.ts';
import { crowdedTests } from './scenarios/crowded-tests.ts';
import { outcomes } from './scenarios/outcomes.ts';
import { signals } from './scenarios/signals.ts';
import { sources } from './scenarios/sources.ts';

/** Each scenario runs a job, a source or tests with fake activities and returns a log, which the tests check. */
export const scenarios = { ...concurrency, ...signals, ...outcomes, ...sources, ...crowdedTests };
