import { fail } from '../../schema/errors.ts';
import { type RequestScope, requireUnbound } from '../scope/index.ts';
import { type Level, rank } from './level.ts';

/**
 * Authorizes the fields of a subgraph: `@Authorized('admin')` on a resolver method declares the required level.
 * @param hasWorkspaces whether keys that are bound to a workspace reach the subgraph
 */
export const gatekeeper =
  (hasWorkspaces: boolean) =>
  (scope: RequestScope, [level = 'member']: readonly Level[]): true => {
    if (level === 'public') return true;
    const { operator, isAgent = false } = scope.caller;
    if (isAgent && level !== 'agent') throw fail('FORBIDDEN', 'An agent has no access to this.');
    if (operator !== (level === 'operator')) throw fail('FORBIDDEN', `This needs ${operator ? "a user's" : "an operator's"} key.`);
    if (!hasWorkspaces) requireUnbound(scope);
    if (level === 'user' || level === 'operator') return true;
    if (rank[scope.organization.role] >= rank[level === 'agent' ? 'member' : level]) return true;
    throw fail('FORBIDDEN', `This needs the role ${level} in the organization.`);
  };
