import type { Connection } from '@temporalio/client';
import { log } from '../subgraphs/common/log.ts';
import { searchAttributes } from './contract.ts';

const KEYWORD = 2;
const ALREADY_EXISTS = 6;

/** Add the search attributes that the namespace lacks. On Temporal Cloud, which denies this call, an operator adds them. */
export async function ensureSearchAttributes({ operatorService }: Connection, namespace: string): Promise<void> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = Object.values(searchAttributes).filter(({ name }) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return;
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name }) => [name, KEYWORD])),
    });
  } catch (error) {
    if ((error as { code?: number }).code !== ALREADY_EXISTS) log.warn({ err: error }, 'Failed to check the search attributes');
  }
}
