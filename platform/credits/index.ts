/** The balance of credits of an organization and the bytes that it stores. A charge with the same reference happens once. */
import { v7 as uuid } from 'uuid';
import { type EnumValue, enums } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';

/** A change of the balance. */
export interface Movement {
  /** Negative for a charge. */
  amount: number;
  reason: string;
  /** Idempotency key, such as `item:<id>`: a second movement with the same reference has no effect. */
  reference: string;
}

/**
 * Move credits in the transaction of the scope. Returns false, without any change, when a charge exceeds the balance, unless `enforce` is
 * false.
 */
export async function moveCredits(scope: Scope, change: Movement, { enforce = true } = {}): Promise<boolean> {
  const [row] = await query(scope.em, sql<{ moved: boolean }>`select ${movement(scope, change, enforce)} as moved`);
  return row?.moved === true;
}

/** The call of `moveCredits` as a part of another statement. */
export function movement({ organizationId, services }: Scope, { amount, reason, reference }: Movement, enforce = true) {
  const isEnforced = enforce && services.requireCredits && amount < 0;
  return sql<boolean>`identity.move_credits(${uuid()}, ${organizationId}, ${amount}, ${reason}, ${reference}, ${isEnforced})`;
}

/**
 * Add a charge to the entry of the ledger with the same reference, in the transaction of the scope, which makes it happen once. Returns
 * false, without any change, when it exceeds the balance.
 */
export async function addCharge(scope: Scope, { amount, reason, reference }: Movement): Promise<boolean> {
  const { em, organizationId, services } = scope;
  const [row] = await query(
    em,
    sql<{ paid: boolean }>`
      select identity.add_charge(${uuid()}, ${organizationId}, ${amount}, ${reason}, ${reference}, ${services.requireCredits}) as paid`,
  );
  return row?.paid === true;
}

/** Whether a charge of this price would succeed now. */
export const canPay = async (scope: Scope, price: number): Promise<boolean> =>
  !scope.services.requireCredits || (await balanceOf(scope)) >= price;

/** The credits of the organization. */
export async function balanceOf({ em, organizationId }: Scope): Promise<number> {
  const [row] = await query(em, sql<{ credits: string }>`select credits from identity.organizations where id = ${organizationId}`);
  return Number(row?.credits ?? 0);
}

/** Throws `OUT_OF_CREDITS` when the organization has no credits left for an AI job. */
export async function requireBalance(scope: Scope): Promise<void> {
  if (!scope.services.requireCredits || (await balanceOf(scope)) > 0) return;
  throw fail('OUT_OF_CREDITS', 'Credit limit reached. Please top up your credits to start a new enrichment job.');
}

/** The kind of data of each table that counts. All other counted tables contain site content. */
const kinds: Record<string, EnumValue<'StorageKind'>> = {
  ...of(
    'catalog',
    'catalog',
    'products',
    'enrichment_history',
    'value_changes',
    'validation_history',
    'proposals',
    'attributes',
    'brands',
    'categories',
    'label_values',
    'product_views',
    'gap_rules',
  ),
  ...of(
    'jobs',
    'catalog',
    'jobs',
    'job_items',
    'import_items',
    'import_notes',
    'import_mappings',
    'product_edits',
    'product_edit_pages',
    'product_export_pages',
    'product_export_parts',
  ),
  ...of('agents', 'agent', 'test_cases', 'test_runs', 'test_run_cases', 'test_results'),
  ...of('agents', 'agent', 'agents', 'agent_versions', 'tools', 'sources', 'source_pages', 'chunks', 'staged_chunks'),
  ...of(
    'conversations',
    'agent',
    'conversations',
    'messages',
    'form_submissions',
    'leads',
    'contacts',
    'tickets',
    'ticket_messages',
    'visitors',
    'approvals',
    'conversation_notes',
    'page_contexts',
    'canned_replies',
  ),
  ...of('conversations', 'mail', 'messages'),
  ...of('requests', 'identity', 'idempotency_keys'),
};

function of(kind: EnumValue<'StorageKind'>, schema: string, ...tables: string[]): Record<string, EnumValue<'StorageKind'>> {
  return Object.fromEntries(tables.map((table) => [`${schema}.${table}`, kind]));
}

interface StorageUse {
  bytes: number;
  /** Null if the storage is not limited. */
  limit: number | null;
  kinds: { kind: EnumValue<'StorageKind'>; bytes: number }[];
}

/**
 * The bytes that the data of the organization take, without uploaded files, and its quota. Triggers count them. Deleted products are not
 * among them, because they are forgotten when room is needed.
 */
export async function storageUse({ em, organizationId }: Scope): Promise<StorageUse> {
  const rows = await query(
    em,
    sql<{ list: string | null; bytes: number; quota: number | null }>`
      select s.list, coalesce(sum(s.bytes), 0)::float8 as bytes, coalesce(o.storage_quota, q.bytes)::float8 as quota
        from identity.organizations o left join identity.storage_quotas q on q.plan = o.plan
        left join identity.stored_bytes s on s.organization_id = o.id and s.list <> 'catalog.deleted_products'
       where o.id = ${organizationId} group by s.list, o.storage_quota, q.bytes`,
  );
  const sizes = enums.StorageKind.values.map((kind) => {
    const counted = rows.filter(({ list }) => list !== null && (kinds[list] ?? 'content') === kind);
    return { kind, bytes: counted.reduce((sum, { bytes }) => sum + bytes, 0) };
  });
  return { bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0), limit: rows[0]?.quota ?? null, kinds: sizes };
}

/** The bytes that the data of the organization take beyond this share of its quota. Negative if there is room. */
export async function storageExcess({ em, organizationId }: Scope, share: number): Promise<number> {
  const [row] = await query(
    em,
    sql<{ excess: number | null }>`
      select coalesce((select sum(bytes) from identity.stored_bytes where organization_id = o.id), 0)::float8
               - coalesce(o.storage_quota, q.bytes)::float8 * ${share}::float8 as excess
        from identity.organizations o left join identity.storage_quotas q on q.plan = o.plan where o.id = ${organizationId}`,
  );
  return row?.excess ?? Number.NEGATIVE_INFINITY;
}
