import { Checkbox, Menu, TextInput } from '@mantine/core';
import { IconArchive, IconArchiveOff, IconCopy, IconDots, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import { graphql, useAction } from '../graph/graph-hooks.ts';
import { Action } from '../parts/elements.tsx';
import { FormDialog, useClosingForm } from '../parts/forms-and-dialogs.tsx';
import { MenuAction } from '../parts/more-menu.tsx';
import { showDone, showUndo } from '../parts/overlays.tsx';
import { useFieldRefusal } from '../parts/refusals.ts';
import { useGo } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';

const CREATE = graphql(`mutation CreateProduct($input: NewProduct!) { createProduct(input: $input) { id } }`);
export const RESTORE = graphql(`mutation RestoreProducts($ids: [ID!]!) { restoreProducts(ids: $ids) { ids } }`);
const DELETE = graphql(`mutation DeleteProduct($id: ID!) { deleteProduct(id: $id) { id } }`);

const FIELDS = { name: 256, sku: 64, brand: 128, category: 1_024, manufacturer: 256, mpn: 128, uom: 128 } as const;
type Field = keyof typeof FIELDS;
/** The fields of another product, with which the new one begins. */
type Draft = Partial<Record<Field, string | null>> & { parentId?: string; userProvidedRawDataSources?: string[] };

/** A dialog for the fields of a new product. It opens the page of the product that it created. */
function NewProduct({ title, draft = {}, onClose }: { title: string; draft?: Draft; onClose(): void }) {
  const { products, actions } = useStrings();
  const { leaveTo } = useGo();
  const refuse = useFieldRefusal();
  const [create] = useAction(CREATE, {
    after: (data) => leaveTo(`products/${data.createProduct.id}`),
    failed: (error) => refuse(form, 'sku', error),
  });
  const { parentId, userProvidedRawDataSources, ...filled } = draft;
  const form = useClosingForm({
    initialValues: {
      ...(Object.fromEntries(Object.keys(FIELDS).map((field) => [field, filled[field as Field] ?? ''])) as Record<Field, string>),
      isParent: false,
    },
    required: ['name', 'sku'],
  });

  function submit({ isParent, ...fields }: typeof form.values) {
    const written = Object.fromEntries(Object.entries(fields).filter(([, text]) => text.trim()));
    const input = { ...written, name: fields.name, sku: fields.sku, isParent, parentId, userProvidedRawDataSources };
    return create({ input });
  }
  return (
    <FormDialog guarded onClose={onClose} title={title} form={form} onSubmit={submit} submit={actions.create}>
      {Object.entries(FIELDS).map(([field, maxLength]) => (
        <TextInput
          key={field}
          {...form.field(field, products[field as Field])}
          maxLength={maxLength}
          data-autofocus={field === 'name' || undefined}
        />
      ))}
      {!parentId && <Checkbox {...form.check('isParent', products.isParent)} />}
    </FormDialog>
  );
}

/** The button that opens the dialog. */
export function NewProductButton() {
  const { products } = useStrings();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Action label={products.new} variant="default" icon={IconPlus} onClick={() => setOpen(true)} />
      {isOpen && <NewProduct title={products.new} onClose={() => setOpen(false)} />}
    </>
  );
}

interface Edited extends Draft {
  id: string;
  name: string;
  isParent: boolean;
  archived: boolean;
}

/** Duplicates, archives or deletes a product, or adds a variant. */
export function ProductMenu({ product }: { product: Edited }) {
  const { products, productEdits, actions, terms } = useStrings();
  const client = useClient();
  const { leaveTo } = useGo();
  const [draft, setDraft] = useState<{ title: string; fields: Draft } | null>(null);
  const [remove] = useAction(DELETE, {
    ask: { title: actions.deleteTitle(product.name), text: products.deleteText, action: actions.delete },
    after() {
      showUndo(terms.deleted, actions.undo, restore);
      leaveTo('products', { replace: true });
    },
  });
  // The menu is gone by then, but not the client.
  async function restore() {
    const { data } = await client.mutation(RESTORE, { ids: [product.id] });
    if (data) showDone(productEdits.restored(1, '1'));
  }
  const { archive, unarchive } = useArchiving();
  const { id, isParent, archived, sku: _, ...fields } = product;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Action label={products.more} variant="default" icon={IconDots} />
        </Menu.Target>
        <Menu.Dropdown>
          {isParent && (
            <MenuAction
              label={products.newVariant}
              icon={IconPlus}
              onClick={() => setDraft({ title: products.newVariant, fields: { ...fields, parentId: id } })}
            />
          )}
          <MenuAction label={products.duplicate} icon={IconCopy} onClick={() => setDraft({ title: products.duplicate, fields })} />
          {archived ? (
            <MenuAction label={productEdits.unarchive} icon={IconArchiveOff} onClick={() => unarchive([id])} />
          ) : (
            <MenuAction label={productEdits.archive} icon={IconArchive} onClick={() => archive([id])} />
          )}
          <MenuAction label={actions.delete} icon={IconTrash} color="red" onClick={() => remove({ id })} />
        </Menu.Dropdown>
      </Menu>
      {draft && <NewProduct title={draft.title} draft={draft.fields} onClose={() => setDraft(null)} />}
    </>
  );
}

const ARCHIVE = graphql(`mutation ArchiveProducts($ids: [ID!]!) { archiveProducts(ids: $ids) { changed } }`);
const UNARCHIVE = graphql(`mutation UnarchiveProducts($ids: [ID!]!) { unarchiveProducts(ids: $ids) { changed } }`);

/** Maximum products of one mutation. */
export const MAX_ARCHIVED = 1_000;

/** Returns functions that archive products, with an undo, and that bring them back. They resolve to whether it worked. */
export function useArchiving() {
  const { productEdits, actions, formats } = useStrings();
  const client = useClient();
  async function unarchive(ids: string[]): Promise<boolean> {
    const { data } = await client.mutation(UNARCHIVE, { ids });
    const { changed = 0 } = data?.unarchiveProducts ?? {};
    if (data) showDone(productEdits.unarchived(changed, formats.number(changed)));
    return Boolean(data);
  }
  async function archive(ids: string[]): Promise<boolean> {
    const { data } = await client.mutation(ARCHIVE, { ids });
    const { changed = 0 } = data?.archiveProducts ?? {};
    if (data) showUndo(productEdits.archivedCount(changed, formats.number(changed)), actions.undo, () => unarchive(ids));
    return Boolean(data);
  }
  return { archive, unarchive };
}
