import type { Connection } from '@temporalio/client';
import { log } from '../platform/telemetry/index.ts';
import { searchAttributes } from './contract.ts';

const KEYWORD = 2;
const ALREADY_EXISTS = 6;
const PERMISSION_DENIED = 7;

/**
 * Add the search attributes that the namespace lacks. On Temporal Cloud, which denies this call, an operator adds them. Returns whether
 * there is nothing left to do.
 */
export async function ensureSearchAttributes({ operatorService }: Connection, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = Object.values(searchAttributes).filter(({ name }) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return true;
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name }) => [name, KEYWORD])),
    });
    return true;
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === ALREADY_EXISTS) return true;
    log.warn({ err: error }, 'Failed to check the search attributes');
    return code === PERMISSION_DENIED;
  }
}
