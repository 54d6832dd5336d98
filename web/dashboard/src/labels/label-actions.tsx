import { Alert, List, Select, Text, TextInput } from '@mantine/core';
import { IconArrowMerge, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction, useQuery } from '../graph/graph-hooks.ts';
import { Action, Note } from '../parts/elements.tsx';
import { FormDialog, useClosingForm, useOptionSearch } from '../parts/forms-and-dialogs.tsx';
import { MenuAction } from '../parts/more-menu.tsx';
import { Loaded } from '../parts/page-frame.tsx';
import { useStrings } from '../strings/strings.tsx';
import { type Listed, operations, type Subject, settingsOf } from './label-subject.ts';

interface NameFieldsProps {
  subject: Subject;
  title: string;
  submit: string;
  /** The field of the slug explains what an empty one means. */
  slugText: string;
  name?: string;
  onSubmit(fields: { name: string; slug?: string }): Promise<unknown>;
  onClose(): void;
}

function NameDialog({ subject, title, submit, slugText, name = '', onSubmit, onClose }: NameFieldsProps) {
  const { labels, terms } = useStrings();
  const form = useClosingForm({ initialValues: { name, slug: '' }, required: ['name'] });
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={title}
      submit={submit}
      form={form}
      onSubmit={(fields) => onSubmit({ name: fields.name, slug: fields.slug.trim() || undefined })}
    >
      <TextInput
        {...form.field('name', terms.name, subject === 'category' ? labels.pathText : undefined)}
        maxLength={settingsOf[subject].maxLength}
        data-autofocus
      />
      <TextInput {...form.field('slug', terms.slug, slugText)} maxLength={256} />
    </FormDialog>
  );
}

/** The button that creates a brand or category. */
export function NewLabelButton({ subject }: { subject: Subject }) {
  const { labels, actions } = useStrings();
  const [isOpen, setOpen] = useState(false);
  const [create] = useAction(operations[subject].create, {
    done: ({ made }) => (made.created ? labels.created : labels.exists),
    after: () => setOpen(false),
  });
  return (
    <>
      <Action label={labels.new[subject]} icon={IconPlus} onClick={() => setOpen(true)} />
      {isOpen && (
        <NameDialog
          subject={subject}
          title={labels.new[subject]}
          submit={actions.create}
          slugText={labels.newSlugText}
          onSubmit={create}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

type Label = Pick<Listed, 'id' | 'name' | 'totalCount' | 'record'>;
export type Open = 'rename' | 'merge' | null;

interface MenuProps {
  subject: Subject;
  label: Label;
  onOpen(open: Open): void;
  onDeleted?(): void;
}

/** The entries of the menu of a brand or category. */
export function LabelMenuItems({ subject, label, onOpen, onDeleted }: MenuProps) {
  const { actions, labels, terms } = useStrings();
  const [remove] = useAction(operations[subject].remove, {
    ask: { title: actions.deleteTitle(label.name), text: labels.deleteText, action: actions.delete },
    done: terms.deleted,
    after: onDeleted,
  });
  return (
    <>
      <MenuAction label={actions.rename} icon={IconPencil} onClick={() => onOpen('rename')} />
      <MenuAction label={actions.merge} icon={IconArrowMerge} onClick={() => onOpen('merge')} />
      {label.record && label.totalCount === 0 && (
        <MenuAction label={actions.delete} icon={IconTrash} color="red" onClick={() => remove({ id: label.id })} />
      )}
    </>
  );
}

interface DialogProps {
  subject: Subject;
  label: Label;
  open: Open;
  onClose(): void;
  /** The id under which the label is found from now on. */
  onChanged?(id: string): void;
}

/** The dialog that the menu has opened. */
export function LabelDialog({ open, ...props }: DialogProps) {
  if (open === 'rename') return <Rename {...props} />;
  return open === 'merge' ? <Merge {...props} /> : null;
}

function Rename({ subject, label, onClose, onChanged }: Omit<DialogProps, 'open'>) {
  const { labels, actions } = useStrings();
  const [rename] = useAction(operations[subject].rename, {
    done: ({ changed }) => (changed.move ? labels.renaming : labels.renamed),
    after({ changed }) {
      onClose();
      onChanged?.(changed.id);
    },
  });
  return (
    <NameDialog
      subject={subject}
      title={labels.renameTitle(label.name)}
      submit={actions.rename}
      slugText={labels.slugText(label.record?.slug)}
      name={label.name}
      onSubmit={(fields) => rename({ id: label.id, ...fields })}
      onClose={onClose}
    />
  );
}

/** Chooses the brand or category into which another is merged, and tells what will move. */
function Merge({ subject, label, onClose, onChanged }: Omit<DialogProps, 'open'>) {
  const { labels, actions, terms } = useStrings();
  const [search, searching] = useOptionSearch();
  const [into, setInto] = useState<{ value: string; label: string } | null>(null);
  const { list, merge: document } = operations[subject];
  // The list shows the name of the chosen one in the field, which is no search.
  const variables = { page: 1, limit: 20, search: search === into?.label ? '' : search, sortBy: 'name', sortOrder: 'asc' } as const;
  const [{ data }] = useQuery({ query: list, variables });
  const [merge] = useAction(document, {
    done: ({ changed }) => (changed.move ? labels.renaming : labels.merged(changed.name)),
    after({ changed }) {
      onClose();
      onChanged?.(changed.id);
    },
  });
  const choices = (data?.labels.nodes ?? [])
    .filter(({ id }) => id !== label.id)
    .map(({ id, name }) => ({ value: id, label: name }));
  const known = into && !choices.some(({ value }) => value === into.value) ? [into, ...choices] : choices;

  return (
    <FormDialog
      onClose={onClose}
      title={labels.mergeTitle(label.name)}
      submit={actions.merge}
      disabled={!into}
      onSubmit={() => into && merge({ id: label.id, intoId: into.value })}
    >
      <Select
        {...searching}
        label={labels.into[subject]}
        placeholder={labels.search}
        data={known}
        value={into?.value ?? null}
        onChange={(_, option) => setInto(option ? { value: option.value, label: option.label } : null)}
        nothingFoundMessage={terms.nothingFound}
        clearable
        data-autofocus
      />
      {into && <Preview subject={subject} id={label.id} intoId={into.value} />}
    </FormDialog>
  );
}

function Preview({ subject, id, intoId }: { subject: Subject; id: string; intoId: string }) {
  const { labels, formats } = useStrings();
  const query = useQuery({ query: operations[subject].preview, variables: { id, intoId } });
  return (
    <Loaded query={query}>
      {({ preview: { fromName, intoName, products, categories, enrichments, slug, values } }) => (
        <Alert color="blue" role="status" title={labels.previewTitle(fromName, intoName)}>
          <List size="sm">
            <List.Item>{labels.previewProducts(products, formats.number(products))}</List.Item>
            {categories > 0 && <List.Item>{labels.previewCategories(categories, formats.number(categories))}</List.Item>}
            {enrichments > 0 && <List.Item>{labels.previewEnrichments(enrichments, formats.number(enrichments))}</List.Item>}
            {values.length > 0 && <List.Item>{labels.previewValues(values.join(', '))}</List.Item>}
            {slug && <List.Item>{labels.previewSlug(slug)}</List.Item>}
          </List>
          <Text mt="xs">{labels.mergeText}</Text>
        </Alert>
      )}
    </Loaded>
  );
}

/** Tells how far a rename or merge of many products is. */
export function MoveNote({ move }: { move: NonNullable<Listed['move']> }) {
  const { labels, formats } = useStrings();
  return <Note role="status">{labels.moving(move.toName, formats.number(move.moved), formats.number(move.total))}</Note>;
}
