import { LockMode } from '@mikro-orm/postgresql';
import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { clock, isId, lockName, readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { listPage } from '../../../platform/lists/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import {
  type DeliveryApi,
  deliveriesOf,
  deliveryFields,
  deliveryOperations,
  disable,
  enable,
  findSubscription,
  newSigningSecret,
  secretName,
  WebhookSubscription,
} from '../../../platform/webhooks/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isEditor, notEditor } from '../content/access.ts';
import { requireEditor } from '../content/edit.ts';
import { DeletedContent, EDITORS } from '../content/entity.ts';
import type { PageArguments } from '../site-list.ts';
import { Workspace } from '../workspaces/entity.ts';
import {
  NewSiteWebhook,
  SiteWebhook,
  SiteWebhookChange,
  SiteWebhookDeliveriesArguments,
  SiteWebhookDelivery,
  SiteWebhookDeliveryList,
  SiteWebhookDeliveryUpdate,
  SiteWebhookList,
  SiteWebhookSecret,
  SiteWebhooksArguments,
} from './types.ts';

const surface = 'site-content';
const deliveries = deliveriesOf(surface);

const api: DeliveryApi = {
  surface,
  name: 'siteWebhook',
  delivery: SiteWebhookDelivery,
  update: SiteWebhookDeliveryUpdate,
  test: { name: 'testSiteWebhook', description: 'Send a sample of the first event of a webhook.' },
  subscription: { argument: 'webhookId', noun: 'a webhook', ofDelivery: 'a webhook' },
  editors: {
    rule: EDITORS,
    require: requireEditorOf,
    async mayRead(scope, subscriptionId) {
      const webhook = await scope.load(WebhookSubscription, subscriptionId);
      return webhook !== null && isEditor(scope, webhook.aboutId!);
    },
  },
};

// The order of the resolvers is that of the fields in the emitted schema.
const fields = deliveryFields(api);

@Resolver()
class SiteWebhookDeliveriesResolver {
  @Authorized('member')
  @Query(() => SiteWebhookDeliveryList, {
    nullable: true,
    description:
      'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.',
  })
  async siteWebhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => SiteWebhookDeliveriesArguments) { webhookId, page, perPage, ...filter }: SiteWebhookDeliveriesArguments,
  ) {
    const { nodes, pagination } = await deliveries.page(scope, webhookId, filter, { page, limit: perPage });
    const { total, totalPages } = pagination;
    return { nodes, meta: { page, perPage, total, totalPages } };
  }
}

export const siteWebhookDeliveryResolvers = [...fields, SiteWebhookDeliveriesResolver, ...deliveryOperations(api)] as const;

const requireEditorOfInput = async (scope: RequestScope, { input }: { input: NewSiteWebhook }) =>
  void (await requireEditorOfWorkspace(scope, input.workspaceId));

@Access('member')
@Resolver()
export class SiteWebhookResolver {
  @Query(() => SiteWebhookList, { description: 'The webhooks of the workspaces of the organization, newest first.' })
  siteWebhooks(@Ctx() scope: RequestScope, @Args(() => SiteWebhooksArguments) { workspaceId, ...page }: SiteWebhooksArguments) {
    return listWebhooks(scope, workspaceId, page);
  }

  @Query(() => SiteWebhook, { nullable: true, description: 'One webhook of a workspace.' })
  siteWebhook(@Ctx() scope: RequestScope, @Id() id: string) {
    return findWebhook(scope, id);
  }

  /** Throws `NOT_FOUND` for an unknown workspace, and `LIMIT_REACHED` at 100 webhooks. */
  @Idempotent({ prepares: true, authorize: requireEditorOfInput })
  @Mutation(() => SiteWebhook, { description: `Create a webhook. An organization can have up to 100. ${EDITORS}` })
  async createSiteWebhook(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewSiteWebhook) input: NewSiteWebhook,
  ): Promise<SiteWebhook> {
    const { workspaceId, name, url, events } = input;
    const found = await requireEditorOfWorkspace(scope, workspaceId);
    // Before the name server is asked; again below, where the lock keeps the count valid until the commit.
    await requireRoom(scope);
    await requireReachable(scope, url, 'url', ['https']);
    return scope.write(async (inner) => {
      const { em, organizationId, services } = inner;
      // Locked, because a concurrent deletion of the workspace deletes its webhooks.
      const workspace = await em.findOne(Workspace, found.id, { lockMode: LockMode.PESSIMISTIC_READ });
      if (!workspace) throw workspaceNotFound();
      await requireEditor(inner, workspace.id);
      await lockName(em, `site webhooks of ${organizationId}`);
      await requireRoom(inner);
      const made = em.create(WebhookSubscription, {
        surface,
        organizationId,
        aboutId: workspace.id,
        name,
        url,
        events: [...new Set(events)],
      });
      made.secret = services.secrets.seal(newSigningSecret(), secretName(made));
      await em.flush();
      return { ...toWebhook(made as Row), lastDeliveryAt: null };
    });
  }

  @Mutation(() => SiteWebhook, { description: `Change a webhook of a workspace. ${EDITORS}` })
  updateSiteWebhook(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => SiteWebhookChange) input: SiteWebhookChange) {
    return updateWebhook(scope, id, input);
  }

  /** Delete a webhook with its deliveries, including pending ones. */
  @Mutation(() => DeletedContent, { description: `Delete a webhook. Its pending deliveries are not sent. ${EDITORS}` })
  deleteSiteWebhook(@Ctx() scope: RequestScope, @Id() id: string) {
    return editWebhook(scope, id, async ({ em }, { id: found }) => {
      await em.nativeDelete(WebhookSubscription, { id: found });
      return { id: found, deleted: true };
    });
  }

  /** The signing secret of a webhook, for editors of its workspace. Throws `UNPROCESSABLE` for one that was lost with its encryption key. */
  @Query(() => SiteWebhookSecret, { nullable: true, description: `The signing secret of a webhook. ${EDITORS}` })
  siteWebhookSecret(@Ctx() scope: RequestScope, @Id() id: string): Promise<SiteWebhookSecret> {
    return editWebhook(scope, id, async (inner, webhook) => secretOf(inner, webhook));
  }

  /**
   * Replace the signing secret. Deliveries have signatures of both secrets for 24 hours. Throws `CONFLICT` during this time, unless `force`
   * ends the previous secret at once.
   */
  @Mutation(() => SiteWebhookSecret, {
    description: `Replace the signing secret of a webhook. Both secrets sign for 24 hours; a rotation during this time is a \`CONFLICT\`. ${EDITORS}`,
  })
  rotateSiteWebhookSecret(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('force', () => Boolean, { defaultValue: false, description: 'End the previous secret at once if it is still valid.' })
    force: boolean,
  ): Promise<SiteWebhookSecret> {
    return editWebhook(scope, id, async (inner, webhook) => {
      // A concurrent rotation would end the secret that this one promises to keep.
      await lockName(inner.em, `signing secret of ${webhook.id}`);
      await inner.em.refresh(webhook, { populate: ['secret', 'previousSecret'] });
      const { previousSecretExpiresAt: until } = webhook;
      if (!force && until && until > clock.now())
        throw fail('CONFLICT', `The previous secret is valid until ${until.toISOString()}. The secret can be rotated again then.`);
      webhook.previousSecret = webhook.secret;
      webhook.previousSecretExpiresAt = webhook.secret && new Date(clock.ms() + OVERLAP_MS);
      webhook.secret = inner.services.secrets.seal(newSigningSecret(), secretName(webhook));
      return secretOf(inner, webhook);
    });
  }
}

const MAX_WEBHOOKS = 100;
const OVERLAP_MS = 24 * 60 * 60 * 1_000;
const COLUMNS = [
  'id',
  'aboutId',
  'name',
  'url',
  'events',
  'enabled',
  'failureCount',
  'disabledAt',
  'createdAt',
  'updatedAt',
] as const;
const JOINED = {
  lastDeliveryAt: '(select a.at from webhooks.attempts a where a.subscription_id = r.id order by a.sequence desc limit 1)',
};

type Row = WebhookSubscription & Pick<SiteWebhook, 'lastDeliveryAt'>;

/** The webhooks of the organization, newest first. */
async function listWebhooks(scope: RequestScope, workspaceId: string | null | undefined, { page, perPage }: PageArguments) {
  const where = { surface, ...(workspaceId && { aboutId: workspaceId }) } as const;
  if (workspaceId && !(isId(workspaceId) && (await scope.load(Workspace, workspaceId)))) throw workspaceNotFound();
  const rows = { columns: COLUMNS, joined: JOINED, where, orderBy: { createdAt: 'desc', id: 'desc' } } as const;
  const { nodes, pagination } = await listPage(scope, WebhookSubscription, rows, { page, limit: perPage });
  const { total, totalPages } = pagination;
  return { nodes: nodes.map((row) => toWebhook(row as Row)), meta: { page, perPage, total, totalPages } };
}

/** Throws `NOT_FOUND`. */
async function findWebhook(scope: RequestScope, id: string): Promise<SiteWebhook> {
  const rows = { columns: COLUMNS, joined: JOINED, where: { id, surface } } as const;
  const [row] = isId(id) ? await readRows(scope, WebhookSubscription, rows) : [];
  if (!row) throw fail('NOT_FOUND', 'Webhook not found');
  return toWebhook(row as Row);
}

/** Throws `NOT_FOUND` for an unknown workspace, and `FORBIDDEN` for callers who are no editors of it. */
async function requireEditorOfWorkspace(scope: RequestScope, id: string): Promise<Workspace> {
  const workspace = isId(id) ? await scope.load(Workspace, id) : null;
  if (!workspace) throw workspaceNotFound();
  if (!(await isEditor(scope, workspace.id))) throw notEditor();
  return workspace;
}

/** Throws `NOT_FOUND`. */
async function updateWebhook(scope: RequestScope, id: string, change: SiteWebhookChange): Promise<SiteWebhook> {
  const { name, url, events, enabled } = change;
  if (url) {
    await requireEditorOf(scope, id);
    await requireReachable(scope, url, 'url', ['https']);
  }
  await editWebhook(scope, id, async (inner, webhook) => {
    webhook.name = name ?? webhook.name;
    webhook.url = url ?? webhook.url;
    if (events) webhook.events = [...new Set(events)];
    if (enabled === false) await disable(inner, webhook);
    if (enabled) await enable(inner, webhook);
  });
  return findWebhook(scope, id);
}

function secretOf({ services }: RequestScope, webhook: WebhookSubscription): SiteWebhookSecret {
  const { secret, previousSecretExpiresAt: expiresAt } = webhook;
  if (!secret) throw fail('UNPROCESSABLE', 'The signing secret was lost. Replace it.');
  return {
    secret: services.secrets.open(secret, secretName(webhook)),
    previousSecretExpiresAt: expiresAt && expiresAt > clock.now() ? expiresAt : null,
  };
}

/** Throws `NOT_FOUND` for an unknown webhook, and `FORBIDDEN` for callers who are no editors of its workspace. */
async function requireEditorOf(scope: RequestScope, id: string): Promise<void> {
  const { aboutId } = await findSubscription(scope, surface, id);
  if (!(await isEditor(scope, aboutId!))) throw notEditor();
}

const editWebhook = <T>(
  scope: RequestScope,
  id: string,
  work: (inner: RequestScope, webhook: WebhookSubscription) => Promise<T>,
): Promise<T> =>
  scope.write(async (inner) => {
    const webhook = await findSubscription(inner, surface, id);
    await requireEditor(inner, webhook.aboutId!);
    await inner.em.refresh(webhook, { populate: ['secret', 'previousSecret'] });
    const value = await work(inner, webhook);
    await inner.em.flush();
    return value;
  });

/** Counts also the webhooks of other workspaces, which a bound key cannot see. */
async function requireRoom({ em }: RequestScope): Promise<void> {
  if ((await em.count(WebhookSubscription, { surface }, { filters: { workspace: false } })) >= MAX_WEBHOOKS)
    throw fail('LIMIT_REACHED', `Webhook limit reached. You can create up to ${MAX_WEBHOOKS} webhooks.`);
}

const toWebhook = (row: Row): SiteWebhook => {
  const { id, aboutId, name, url, events, enabled, failureCount, disabledAt, createdAt, updatedAt, lastDeliveryAt } = row;
  return {
    id,
    workspaceId: aboutId!,
    name: name!,
    url,
    events: events as SiteWebhook['events'],
    enabled,
    failureCount,
    disabledAt,
    createdAt,
    updatedAt,
    lastDeliveryAt: lastDeliveryAt ?? null,
  };
};

const workspaceNotFound = () => fail('NOT_FOUND', 'Workspace not found');
