import type { Movement } from '../../../platform/credits/index.ts';
import type { Price } from './kind.ts';

/** The credits for one item. A parent is read once, without a model. */
export const creditsFor = (
  { item, parent = item, agreement = 0 }: Price,
  job: { agreement: boolean },
  isParent: boolean,
): number => (isParent ? parent : item + (job.agreement ? agreement : 0));

/** The charge for one item. */
export const itemCharge = (kind: string, itemId: string, price: number): Movement => ({
  amount: -price,
  reason: `${kind} item`,
  reference: `item:${itemId}`,
});
