/** Identifies callers by API keys, sessions and agent tokens, and keeps organizations, members and invitations. Stores keys and tokens as hashes only. */
export * as accounts from './accounts.ts';
export { checkSlug } from './accounts.ts';
export { Access, admit, gatekeeper, requireHelpdesk, StreamAccess, toolAccess } from './admission.ts';
export * as apiKeys from './api-keys.ts';
export { AGENT_TOKEN_HEADER, type AgentIdentity, Callers, signAgentToken } from './callers.ts';
export type { Level } from './entity.ts';
export { ApiKey, AuditEntry, CreditEntry, CreditUsageDay, Invitation, Membership, Organization, User } from './entity.ts';
export * as invitations from './invitations.ts';
export * as members from './members.ts';
export { addMember, checkGrant, currentRole, memberName } from './members.ts';
export * as sessions from './sessions.ts';
export { sweepAudit, sweepSessions } from './sessions.ts';
export * as signIn from './sign-in.ts';
