import { randomUUID } from 'node:crypto';
import type { Tenant } from './tenant.ts';

/** The id for all other positions, by argument. */
export const besides =
  (name: string, { ids }: { ids: Partial<Tenant['ids']> }) =>
  (argument: string): string => {
    const exact = ofArguments[`${name} ${argument}`];
    if (exact) return ids[exact] ?? randomUUID();
    const [, id] = others.find(([pattern]) => pattern.test(name)) ?? [];
    if (id) return ids[id] ?? randomUUID();
    const [, own] = contentIds.find(([pattern]) => pattern.test(name)) ?? [];
    return ids[argument === 'id' ? (own ?? 'product') : (parents[argument] ?? 'product')] ?? randomUUID();
  };
/** Ids of operations whose arguments name records of several kinds. Each document is used once. */
const ofArguments: Record<string, keyof Tenant['ids']> = {
  'createFileSources(agentId) files': 'document',
  'createFileSources(files) agentId': 'agent',
  'replaceSourceFile(agentId) id': 'fileSource',
  'replaceSourceFile(agentId) files': 'agentDocument',
  'replaceSourceFile(files) agentId': 'agent',
  'replaceSourceFile(files) id': 'fileSource',
  'replaceSourceFile(id) agentId': 'agent',
  'replaceSourceFile(id) files': 'idDocument',
  'sourceFile(agentId) id': 'fileSource',
  'sourceFile(id) agentId': 'agent',
};
/** The ids of parents by argument, for operations on content. */
const parents: Record<string, keyof Tenant['ids']> = {
  siteId: 'site',
  formId: 'siteForm',
  collectionId: 'collection',
  workspaceId: 'workspace',
  userId: 'owner',
  webhookId: 'siteWebhook',
};
/** The own id of an operation on content. */
const contentIds: [pattern: RegExp, id: keyof Tenant['ids']][] = [
  [/^page\(/, 'page'],
  [/^postAuthor\(/, 'author'],
  [/^postCategory\(/, 'postCategory'],
  [/^siteFormSubmission\(/, 'submission'],
  [/^siteForm\(/, 'siteForm'],
  [/^collectionItem\(/, 'collectionItem'],
  [/^collection\(/, 'collection'],
  [/^(post|updatePost)\(/, 'post'],
  [/^replaySiteWebhookDelivery\(/, 'siteDelivery'],
];
const others: [pattern: RegExp, id: keyof Tenant['ids']][] = [
  [/^updateAttributeSet/, 'attributeSet'],
  [/^updateGapRule/, 'gapRule'],
  [
    /Tool\(id\)$|^tool\(id\)$|^toolCalls\((toolId|conversationId)\)$|^stopReply\(conversationId\)$|^delete(Secret|Source)\(id\)$/,
    'agent',
  ],
  [/Tool\(agentId\)$|^tool\(agentId\)$/, 'tool'],
  [/^stopReply\(agentId\)$/, 'conversation'],
  [/^deleteSecret\(agentId\)$/, 'secret'],
  [/^deleteSource\(agentId\)$/, 'source'],
  [/^assignTicket\(id\)$/, 'owner'],
  [/^assignConversation\(userId\)$/, 'conversation'],
  [/^(assignTicket\(userId\)|mergeTicket\(duplicateId\))$/, 'ticket'],
  [/^(createTestCaseFromReply\(messageId\)|deleteTestCases\(ids\))$/, 'testSet'],
  [/^createTestCaseFromReply\(testSetId\)$/, 'reply'],
  [/^deleteTestCases\(testSetId\)$/, 'testCase'],
  [/^testRuns\(testSetId\)$/, 'agent'],
  [/^requireTestsToPublish\(requirement/, 'agent'],
  [/^mergeTicket\(id\)$/, 'duplicate'],
  [/^(brandMergePreview|mergeBrand)\(id\)$/, 'otherBrand'],
  [/^(brandMergePreview|mergeBrand)\(intoId\)$/, 'spareBrand'],
  [/^(categoryMergePreview|mergeCategory)\(id\)$/, 'otherCategory'],
  [/^(categoryMergePreview|mergeCategory)\(intoId\)$/, 'spareCategory'],
];
/** Error messages for ids that are not the subject of the operation. */
export const refusals = ['NOT_FOUND', 'INVALID_INPUT', 'UNPROCESSABLE'];
