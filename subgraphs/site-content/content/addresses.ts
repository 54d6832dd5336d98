import { ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { clock, column, columns, hidden, Owned, query, sql, Table } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({
  description: 'A former path or slug of a page, an item or a post. Requests for it should be redirected to the current one.',
})
@Table('site_content.redirects')
export class Redirect extends columns(Owned, {
  siteId: hidden('uuid'),
  parentId: hidden('uuid'),
  kind: column(enumTypes.RedirectKind),
  address: column('string', 'The former path of a page, or the former slug of an item or a post.'),
  recordId: column('uuid', 'The page, item or post that had this address.'),
  /** Whether the record is published. Triggers maintain it. */
  published: hidden('boolean'),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

interface Addressed {
  id: string;
  siteId: string;
}

/** The namespace of addresses: a site or a collection, and the kind of its records. */
interface Space {
  kind: EnumValue<'RedirectKind'>;
  parentId: string;
}

/** Take an address for a record: a former address of another record no longer leads there. */
export async function takeAddress({ em, organizationId }: Scope, { kind, parentId }: Space, address: string): Promise<void> {
  await query(
    em,
    sql`delete from site_content.redirects
         where parent_id = ${parentId} and kind = ${kind} and address = ${address} and organization_id = ${organizationId}`,
  );
}

/** Keep a redirect from the former address of a record. */
export async function moveAddress(scope: Scope, space: Space, record: Addressed, from: string, to: string): Promise<void> {
  if (from === to) return;
  await takeAddress(scope, space, to);
  const { em, organizationId } = scope;
  await query(
    em,
    sql`insert into site_content.redirects (id, organization_id, site_id, parent_id, kind, address, record_id)
        values (${uuid()}, ${organizationId}, ${record.siteId}, ${space.parentId}, ${space.kind}, ${from}, ${record.id})
        on conflict (parent_id, kind, address)
        do update set record_id = excluded.record_id, published = excluded.published, created_at = now()`,
  );
}

/** Delete the redirects to a deleted record. */
export async function dropAddresses({ em }: Scope, recordId: string): Promise<void> {
  await em.nativeDelete(Redirect, { recordId });
}
