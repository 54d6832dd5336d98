import { byteCountTriggers, jsonBytes, OWNED, textBytes } from '../../../../platform/database/index.ts';

/** The saved views of the list of products. */
export const productViews = `
create table catalog.product_views (
  ${OWNED},
  owner_id uuid not null,
  name text not null,
  is_shared boolean not null,
  settings jsonb not null,
  saved_at timestamptz not null default now()
);
-- The views of a user, one of each name; and the shared views.
create unique index product_views_by_name on catalog.product_views (organization_id, owner_id, lower(name));
create index product_views_shared on catalog.product_views (organization_id, name, id) where is_shared;
${byteCountTriggers({ table: 'catalog.product_views', bytes: `200 + ${textBytes('name')} + ${jsonBytes('settings')}`, updates: 'true' })}
`;
