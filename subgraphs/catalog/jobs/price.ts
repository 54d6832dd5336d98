import type { Price } from './kind.ts';

/** The credits for one item. A parent is read once, without a model. */
export const creditsFor = (
  { item, parent = item, agreement = 0 }: Price,
  job: { agreement: boolean },
  isParent: boolean,
): number => (isParent ? parent : item + (job.agreement ? agreement : 0));
