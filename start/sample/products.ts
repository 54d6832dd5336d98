import { furniture } from './furniture.ts';
import { kitchen } from './kitchen.ts';
import { outdoor } from './outdoor.ts';
import type { SampleProduct } from './product.ts';
import { tools } from './tools.ts';

/** Parents precede their variants. */
export const sampleProducts: readonly SampleProduct[] = [...tools, ...kitchen, ...outdoor, ...furniture];
