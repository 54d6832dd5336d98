import { isId, readRows } from '../../../platform/database/index.ts';
import { checkFields } from '../../../platform/input/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isReadable, readableSite } from '../content/access.ts';
import { deleteRecord, editRecord, editSite, flushUnique, startVersion } from '../content/edit.ts';
import { RECORD_COLUMNS } from '../content/entity.ts';
import type { SiteListArguments } from '../content/types.ts';
import { type ListSource, list, nestedList, type PageArguments } from '../site-list.ts';
import type { Site } from '../sites/entity.ts';
import { SiteForm } from './entity.ts';
import type { NewSiteForm, SiteFormChange } from './types.ts';

const FORMS: ListSource<SiteForm> = {
  name: 'forms',
  entity: SiteForm,
  parent: 'siteId',
  rows: { columns: [...RECORD_COLUMNS, 'name', 'fields'], ordering: 'r.name, r.id' },
};

/** The forms of a site, sorted by name. */
export async function listForms(scope: RequestScope, { siteId, ...page }: SiteListArguments) {
  const site = await readableSite(scope, siteId);
  return list(scope, FORMS, site.id, page);
}

export const listFormsOf = (scope: RequestScope, site: Site, page: PageArguments) => nestedList(scope, FORMS, site.id, page);

/** Throws `NOT_FOUND`, also for a form of another site. */
export async function findForm(scope: RequestScope, siteId: string, id: string): Promise<SiteForm> {
  const [form] = isId(siteId) && isId(id) ? await readRows(scope, SiteForm, { ...FORMS.rows, where: { id, siteId } }) : [];
  if (form && (await isReadable(scope, form))) return form;
  throw fail('NOT_FOUND', 'Form not found');
}

/** Throws `CONFLICT` for a taken name. */
export function createForm(scope: RequestScope, siteId: string, { name, fields }: NewSiteForm): Promise<SiteForm> {
  checkFields(fields);
  return editSite(scope, siteId, async (inner, site) => {
    const { organizationId } = inner;
    const form = inner.em.create(SiteForm, { organizationId, siteId: site.id, name, fields });
    await flushUnique(inner, taken(name));
    return form;
  });
}

/** Change a form. Submissions stay as they were received. Throws `CONFLICT` for another version or a taken name. */
export function updateForm(scope: RequestScope, id: string, version: number, input: SiteFormChange): Promise<SiteForm> {
  if (input.fields) checkFields(input.fields);
  return editRecord(scope, SiteForm, 'Form', id, async (inner, form) => {
    startVersion(form, version, input);
    form.name = input.name ?? form.name;
    form.fields = input.fields ?? form.fields;
    await flushUnique(inner, taken(form.name));
    return form;
  });
}

/** Delete a form with its submissions. */
export const deleteForm = (scope: RequestScope, id: string) =>
  editRecord(scope, SiteForm, 'Form', id, (inner, form) => deleteRecord(inner, SiteForm, form));

const taken = (name: string) => `A form with the name ${name} already exists in the site`;
