import { MikroORM } from '@mikro-orm/postgresql';
import { type FieldNode, type OperationDefinitionNode, parse } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { IDEMPOTENT } from '../../platform/idempotency/index.ts';
import { buildSubgraph } from '../../platform/subgraph/build-subgraph.ts';
import { requirementOf } from '../../rest-adapter/route.ts';
import { subgraphs, tables } from '../../start/subgraphs.ts';
import { allRoutes } from '../rest/all-routes.ts';

const levels = ['public', 'user', 'operator', 'agent', 'member', 'admin', 'owner'];
/** Operations without a key. All others require one. */
const open = [
  'admission',
  'currentSession',
  'decideWidgetApproval',
  'endHandoff',
  'handoffToken',
  'invitation',
  'mintVoiceToken',
  'rateMessage',
  'receiveMail',
  'recordSchema',
  'recordUsage',
  'replyToWidgetTicket',
  'requestHandoff',
  'sendVisitorMessage',
  'setVisitorSeen',
  'setVisitorTyping',
  'signInWithEmail',
  'signInWithLink',
  'signOut',
  'stopWidgetReply',
  'submitSiteForm',
  'submitWidgetContact',
  'submitWidgetForm',
  'sweepWebhooks',
  'toolAccess',
  'visitorHandoffAway',
  'visitorHandoffEvents',
  'visitorHandoffPlace',
  'widgetApprovals',
  'widgetChat',
  'widgetChatReply',
  'widgetConfig',
  'widgetConversation',
  'widgetForms',
  'widgetIdentity',
  'widgetNewestConversation',
  'widgetProducts',
  'widgetTickets',
];

const storage = getMetadataStorage();
// Other test files of the process may declare resolvers, too.
const resolvers = new Set<unknown>(subgraphs.flatMap(({ parts }) => parts.resolvers));
const operations = [...storage.queries, ...storage.mutations, ...storage.subscriptions].filter(({ target }) =>
  resolvers.has(target),
);
const levelOf = ({ target, methodName }: (typeof operations)[number]) => {
  const authorized = storage.authorizedFields.filter((each) => each.target === target && each.fieldName === methodName);
  return authorized.flatMap(({ roles }) => roles as string[]);
};

test('every query, mutation and subscription declares its access level', async () => {
  // Building the schemas proves that each of them belongs to a subgraph.
  for (const { parts } of subgraphs) await buildSubgraph(parts);
  expect(operations.length).toBeGreaterThan(80);
  const unsaid = operations.filter((each) => {
    const said = levelOf(each);
    return said.length !== 1 || !levels.includes(said[0]!);
  });
  expect(unsaid.map(({ methodName }) => methodName)).toEqual([]);
});

test('only listed operations are public', () => {
  const without = operations.filter((each) => levelOf(each)[0] === 'public').map(({ methodName }) => methodName);
  expect(without.sort()).toEqual(open);
});

test('agents may only read products', () => {
  const said = operations.filter((each) => levelOf(each)[0] === 'agent').map(({ methodName }) => methodName);
  expect(said.sort()).toEqual(['product', 'productsBySku', 'searchProducts']);
});

test('changes of permissions require owners and admins', () => {
  const managing = [
    'updateOrganization',
    'invitations',
    'inviteMember',
    'revokeInvitation',
    'updateMember',
    'removeMember',
    'apiKeys',
    'createApiKey',
    'disableApiKey',
    'enableApiKey',
    'updateApiKey',
    'revokeApiKey',
  ];
  const said = operations
    .filter(({ methodName }) => managing.includes(methodName))
    .map((each) => [each.methodName, levelOf(each)[0]]);
  expect(said).toHaveLength(managing.length);
  expect(said.filter(([, level]) => level !== 'admin')).toEqual([]);
});

test('only an operator changes credits, plan and modules', () => {
  const granted = ['credits', 'plan', 'modules'];
  const named = new Set(['updateOrganizationAccount']);
  for (const { methodName, params = [] } of storage.mutations) {
    const names = params.flatMap((param) => {
      if (param.kind === 'arg') return [param.name];
      if (param.kind !== 'args') return [];
      return storage.fields.filter(({ target }) => target === param.getType()).map(({ schemaName }) => schemaName);
    });
    if (names.some((name) => granted.includes(name))) named.add(methodName);
  }
  const said = operations.filter(({ methodName }) => named.has(methodName)).map((each) => [each.methodName, levelOf(each)[0]]);
  expect(said).toEqual([['updateOrganizationAccount', 'operator']]);
});

test('every entity with an organization is filtered by the scope', async () => {
  const entities = tables.flatMap((each) => each.entities);
  const orm = await MikroORM.init({ clientUrl: 'postgres://127.0.0.1/none', entities });
  const bound = entities.map((entity) => {
    const { className, properties, filters } = orm.getMetadata().get(entity);
    return { className, owned: 'organizationId' in properties, tenant: filters.organization?.default === true };
  });
  expect(bound.filter(({ owned, tenant }) => owned !== tenant)).toEqual([]);
  // The change log is only accessible through its job.
  expect(bound.filter(({ tenant }) => !tenant).map(({ className }) => className)).toEqual(['Organization', 'User', 'JobChange']);
});

const mutations = storage.mutations.map(({ target, methodName }) => {
  const { extensions } = storage.fieldExtensions.find((each) => each.target === target && each.fieldName === methodName) ?? {};
  return { methodName, per: (extensions?.[IDEMPOTENT] as { per: string } | undefined)?.per };
});

const repliesFormsVersionsAndRuns = [
  'addConversationNote',
  'addRequesterReply',
  'addTicketNote',
  'mailTranscript',
  'publishAgentDraft',
  'replyToTicket',
  'replyToWidgetTicket',
  'startTestRun',
  'submitSiteForm',
  'submitWidgetContact',
  'submitWidgetForm',
];

test('every mutation that creates something takes an Idempotency-Key, and no other', () => {
  const creating = mutations.filter(
    ({ methodName }) => /^(create|upload|invite)/.test(methodName) || repliesFormsVersionsAndRuns.includes(methodName),
  );
  expect(mutations.filter(({ per }) => per !== undefined)).toEqual(creating);
});

test('idempotency keys belong to the user or the visitor exactly when the operation needs no organization', () => {
  expect(mutations.filter(({ per }) => per).length).toBeGreaterThan(15);
  const owners: Record<string, string> = { user: 'user', public: 'visitor', submitSiteForm: 'form' };
  const levels = new Map(storage.mutations.map((each) => [each.methodName, levelOf(each)[0]]));
  for (const { methodName, per } of mutations)
    if (per)
      expect([methodName, per]).toEqual([methodName, owners[methodName] ?? owners[levels.get(methodName)!] ?? 'organization']);
});

test('each REST row requires the level of its operation, so that it is checked before the body', () => {
  const levels = new Map(operations.map((each) => [each.schemaName, levelOf(each)[0]]));
  const differing = allRoutes.flatMap((route) => {
    const { access, level } = requirementOf(route);
    const [root] = (parse(route.row.graphql).definitions[0] as OperationDefinitionNode).selectionSet.selections as FieldNode[];
    const declared = levels.get(root!.name.value);
    const required = access === 'organization' ? level : access;
    return declared === required || (declared === 'agent' && required === 'member') ? [] : [[route.name, declared, required]];
  });
  expect(differing).toEqual([]);
});
