import { lockName } from '../database/index.ts';
import type { Scope } from './scope.ts';

/**
 * Serialize changes of site content within an organization, as the triggers that number them do. Take it before the rows, to avoid
 * deadlocks.
 */
export const lockContent = ({ em, organizationId }: Pick<Scope, 'em' | 'organizationId'>): Promise<void> =>
  lockName(em, `site content of ${organizationId}`);
