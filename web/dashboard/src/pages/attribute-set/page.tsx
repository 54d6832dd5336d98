import type { AttributeSetPageQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { type Choosable, Trial } from './trial.tsx';
import '../../jobs/job-state.tsx';
import { Alert, Checkbox, CloseButton, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useParams } from 'react-router';
import { type CombinedError, useMutation } from 'urql';
import { Action, Note, PageLink, Tag } from '../../parts/elements.tsx';
import { ticked, useClosingForm, useFollowedForm, useOptionSearch } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { LoadedPage, PageTitle, Section } from '../../parts/page-frame.tsx';
import { useFieldRefusal } from '../../parts/refusals.ts';
import { moved, SortableList } from '../../parts/sortable-list.tsx';
import { useSubject } from '../../parts/url-state.ts';
import { useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { DefaultPrecision } from '../../values/precision.tsx';

const SET = graphql(`
  query AttributeSetPage($id: ID!) {
    attributeSet(id: $id) {
      id name subject autoAccept attributeSetAttributes { order required attribute { id name } }
      categories { id name completeness { products percent } }
    }
  }
`);
const CHOICES = graphql(`
  query SetChoices($subject: AttributeSubject!) { attributes(subject: $subject) { id name slug type unit isActive } }
`);
const CREATE = graphql(`
  mutation CreateAttributeSet($name: String!, $subject: AttributeSubject!, $attributeIds: [ID!]!, $requiredAttributeIds: [ID!]!) {
    createAttributeSet(name: $name, subject: $subject, attributeIds: $attributeIds, requiredAttributeIds: $requiredAttributeIds) { id }
  }
`);
const CHANGE = graphql(`
  mutation ChangeAttributeSet($id: ID!, $name: String, $attributeIds: [ID!], $requiredAttributeIds: [ID!]) {
    updateAttributeSet(id: $id, name: $name, attributeIds: $attributeIds, requiredAttributeIds: $requiredAttributeIds) {
      id name attributeSetAttributes { order required attribute { id name } }
    }
  }
`);
const DELETE = graphql(`mutation DeleteAttributeSet($id: ID!) { deleteAttributeSet(id: $id) { id } }`);

type AttributeSet = AttributeSetPageQuery['attributeSet'];

type Subject = AttributeSet['subject'];

export function Page() {
  const { id = '' } = useParams();
  const [subject] = useSubject();
  if (id === 'new') return <WithChoices set={null} subject={subject} />;
  return <Existing id={id} />;
}

function Existing({ id }: { id: string }) {
  const query = useQuery({ query: SET, variables: { id } });
  return (
    <LoadedPage query={query}>{({ attributeSet: set }) => <WithChoices key={set.id} set={set} subject={set.subject} />}</LoadedPage>
  );
}

function WithChoices({ set, subject }: { set: AttributeSet | null; subject: Subject }) {
  const query = useQuery({ query: CHOICES, variables: { subject } });
  return <LoadedPage query={query}>{({ attributes }) => <Editor set={set} subject={subject} choices={attributes} />}</LoadedPage>;
}

/** Edits the name, the attributes and their order, and tries them out on one product. */
function Editor({ set, subject, choices }: { set: AttributeSet | null; subject: Subject; choices: Choosable[] }) {
  const { attributes, actions, confidence, pages, terms } = useStrings();
  const { isAdmin } = useOrganization();
  const saving = { done: terms.saved, failed: (error: CombinedError) => refuse(form, 'name', error) };
  const [create, isCreating] = useAction(CREATE, { ...saving, after: () => leaveTo(list, { replace: true }) });
  const [change, isChanging] = useAction(CHANGE, saving);
  const stored = {
    name: set?.name ?? '',
    attributeIds: set?.attributeSetAttributes.map(({ attribute }) => attribute.id) ?? [],
    requiredAttributeIds: set?.attributeSetAttributes.filter(({ required }) => required).map(({ attribute }) => attribute.id) ?? [],
  };
  const form = useClosingForm(
    {
      initialValues: stored,
      required: ['name'],
      validate: {
        attributeIds: (ids) => (ids.length > 0 ? null : attributes.noMembers),
      },
    },
    !set,
  );
  useUnsaved(form.isDirty());
  const saveEdits = useFollowedForm(form, stored);
  const refuse = useFieldRefusal();
  const { attributeIds, requiredAttributeIds } = form.values;
  const list = `attributes/sets?subject=${subject}`;

  const { leaveTo, goBack } = useGo();

  const save = (edited: Partial<typeof stored>) =>
    set ? change({ id: set.id, ...edited }) : create({ subject, ...form.getValues() });
  return (
    <>
      <PageTitle title={set?.name ?? pages.newAttributeSet}>
        {set && isAdmin && <Delete set={set} onDone={() => leaveTo(list, { replace: true })} />}
      </PageTitle>
      <Stack maw={760}>
        <form onSubmit={form.onSubmit(() => saveEdits(save))}>
          <Fieldset variant="unstyled" m={0} disabled={!isAdmin} aria-label={pages.settings}>
            <Stack>
              {!isAdmin && <Alert>{attributes.onlyAdmins}</Alert>}
              <TextInput {...form.field('name', terms.name, attributes.setOf[subject])} maxLength={255} autoFocus={!set} />
              <Members
                ids={attributeIds}
                choices={choices}
                onChange={(ids) => {
                  form.setFieldValue('attributeIds', ids);
                  form.setFieldValue(
                    'requiredAttributeIds',
                    requiredAttributeIds.filter((id) => ids.includes(id)),
                  );
                }}
                required={subject === 'product' ? requiredAttributeIds : undefined}
                onRequire={(ids) => form.setFieldValue('requiredAttributeIds', ids)}
                error={form.errors.attributeIds}
                disabled={!isAdmin}
              />
            </Stack>
          </Fieldset>
          <Group justify="flex-end" mt="md" maw={760}>
            <Action label={isAdmin ? actions.cancel : actions.back} variant="default" onClick={() => goBack(list)} />
            {isAdmin && <Action label={actions.save} type="submit" loading={isCreating || isChanging} disabled={!form.isDirty()} />}
          </Group>
        </form>
        {set && subject === 'product' && <SetCategories set={set} />}
        {set && subject === 'product' && (
          <DefaultPrecision
            key={set.autoAccept}
            of={{ attributeSetId: set.id }}
            stored={set.autoAccept ?? null}
            text={confidence.ofSet}
          />
        )}
        {subject === 'product' && attributeIds.length > 0 && <Trial attributeIds={attributeIds} choices={choices} />}
      </Stack>
    </>
  );
}

interface MembersProps {
  ids: string[];
  choices: Choosable[];
  onChange(ids: string[]): void;
  /** The members that a product needs; absent where nothing can be required. */
  required?: string[];
  onRequire(ids: string[]): void;
  error: ReactNode;
  disabled: boolean;
}

function Members({ ids, choices, onChange, required, onRequire, error, disabled }: MembersProps) {
  const { attributes, pages, terms } = useStrings();
  const known = new Map(choices.map((choice) => [choice.id, choice]));
  const nameOf = (id: string) => known.get(id)?.name ?? id;
  const [typed, setTyped] = useState('');
  function add(id: string | null) {
    if (id) onChange([...ids, id]);
    setTyped('');
  }
  const others = choices.filter(({ id }) => !ids.includes(id));
  return (
    <Section title={pages.attributes}>
      <SortableList
        label={pages.attributes}
        keys={ids}
        nameOf={nameOf}
        onMove={(from, to) => onChange(moved(ids, from, to))}
        disabled={disabled}
      >
        {(id) => (
          <>
            <Text flex={1} truncate>
              {nameOf(id)}
            </Text>
            {known.get(id)?.isActive === false && <Tag label={attributes.inactive} color="gray" />}
            <Note visibleFrom="xs">{known.has(id) && attributes.types[known.get(id)!.type]}</Note>
            {required && (
              <Checkbox
                {...ticked(required.includes(id), (checked) =>
                  onRequire(checked ? [...required, id] : required.filter((each) => each !== id)),
                )}
                size="xs"
                label={attributes.required}
                aria-label={attributes.requiredOf(nameOf(id))}
              />
            )}
            <CloseButton
              size="sm"
              aria-label={attributes.removeMember(nameOf(id))}
              onClick={() => onChange(ids.filter((each) => each !== id))}
            />
          </>
        )}
      </SortableList>
      <Select
        aria-label={attributes.addMember}
        placeholder={attributes.addMember}
        data={others.map(({ id, name, slug }) => ({ value: id, label: `${name} (${slug})` }))}
        value={null}
        onChange={add}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        error={error}
        nothingFoundMessage={terms.nothingFound}
      />
    </Section>
  );
}

function Delete({ set: { id, name }, onDone }: { set: AttributeSet; onDone(): void }) {
  const { attributes, actions } = useStrings();
  const ask = { title: actions.deleteTitle(name), text: attributes.deleteSetText, action: actions.delete };
  const remove = useButton(DELETE, { ask, after: onDone, context: { keep: true } });
  return <Action label={actions.delete} variant="light" color="red" {...remove({ id })} />;
}

const FOUND = graphql(
  `query SetCategoryChoices($search: String!) { categories(search: $search, limit: 20) { nodes { id name } } }`,
);
const ASSIGN = graphql(`
  mutation AssignSet($category: String!, $attributeSetId: ID) {
    setCategoryAttributeSet(category: $category, attributeSetId: $attributeSetId) { id attributeSet { id } completeness { percent } }
  }
`);

/** The categories whose products need the attributes of the set, each with its completeness. */
function SetCategories({ set }: { set: AttributeSetPageQuery['attributeSet'] }) {
  const { attributes, pages, formats } = useStrings();
  const { isAdmin } = useOrganization();
  const [search, searching] = useOptionSearch();
  const [{ data }] = useQuery({ query: FOUND, variables: { search } });
  const [{ fetching }, assign] = useMutation(ASSIGN);
  const others = data?.categories.nodes.filter(({ id }) => !set.categories.some((each) => each.id === id)) ?? [];
  return (
    <Section title={pages.categories}>
      <Stack gap="xs">
        <Note>{attributes.categoriesText}</Note>
        {set.categories.map(({ id, name, completeness: { products, percent } }) => (
          <Group key={id} gap="sm" wrap="nowrap">
            <Text flex={1} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {percent != null && (
              <PageLink
                to={`products?category=${encodeURIComponent(name)}&incomplete=100`}
                label={attributes.complete(formats.percent(percent / 100), formats.number(products))}
                size="sm"
              />
            )}
            {isAdmin && (
              <CloseButton
                size="sm"
                aria-label={attributes.removeCategory(name)}
                disabled={fetching}
                onClick={() => assign({ category: name, attributeSetId: null })}
              />
            )}
          </Group>
        ))}
        {isAdmin && (
          <Select
            {...searching}
            aria-label={attributes.addCategory}
            placeholder={attributes.addCategory}
            data={others.map(({ name }) => name)}
            value={null}
            onChange={(category) => category && assign({ category, attributeSetId: set.id })}
          />
        )}
      </Stack>
    </Section>
  );
}
