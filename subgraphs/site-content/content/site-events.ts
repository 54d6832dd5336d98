import type { Scope } from '../../../platform/scope/index.ts';
import { emit } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';

/** Emit an event of a workspace in the transaction of its record. */
export const emitEvent = (scope: Scope, event: EnumValue<'SiteEvent'>, workspaceId: string, data: object): Promise<void> =>
  emit(scope, event, data as Record<string, unknown>, workspaceId);

/** The properties of a record that its event contains, like its REST representation. */
export const pick = <T extends object, K extends keyof T>(record: T, keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, record[key]])) as Pick<T, K>;
