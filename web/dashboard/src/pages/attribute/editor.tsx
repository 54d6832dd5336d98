import { Alert, Button, Fieldset, Group, Select, SimpleGrid, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import { useConfirm } from '../../parts/confirm.ts';
import { editsOf } from '../../parts/edits.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { showDone } from '../../parts/toast.ts';
import { useUnsaved } from '../../parts/unsaved.ts';
import { useClosingForm } from '../../parts/use-closing-form.ts';
import { useFollowedForm } from '../../parts/use-followed-form.ts';
import { useLeave } from '../../parts/use-leave.ts';
import { useAddress, useOrganization } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import {
  type Attribute,
  boundsOf,
  CHANGE,
  CREATE,
  changesOf,
  DELETE,
  hasOptions,
  type Subject,
  slugOf,
  valuesOf,
} from './attribute.ts';
import { Limits } from './limits.tsx';
import { Options } from './options.tsx';

/** Edits an attribute. Members see it without being able to change it. */
export function Editor({ attribute, subject }: { attribute: Attribute | null; subject: Subject }) {
  const { attributes, signIn, settings, actions, pages } = useStrings();
  const { isAdmin } = useOrganization();
  const address = useAddress();
  const [creating, create] = useMutation(CREATE);
  const [changing, change] = useMutation(CHANGE);
  const stored = valuesOf(attribute, subject);
  const form = useClosingForm(
    {
      initialValues: stored,
      validate: {
        name: (name) => (name.trim() ? null : signIn.required),
        slug: (slug) => (/^[a-z0-9][a-z0-9_-]*$/.test(slug) ? null : attributes.wrongSlug),
        bounds: (bounds, values) => {
          const isReversed = boundsOf(values).some((bound) => {
            const [lower, upper] = [bounds[bound], bounds[bound.replace('min', 'max') as typeof bound]];
            return bound.startsWith('min') && lower !== null && upper !== null && lower > upper;
          });
          return isReversed ? attributes.reversed : null;
        },
      },
    },
    !attribute,
  );
  useUnsaved(form.isDirty());
  const saveEdits = useFollowedForm(form, stored);
  const { values, getInputProps } = form;
  const list = address(`attributes?subject=${values.subject}`);
  const types = Object.entries(attributes.types).filter(([type]) => type !== 'date' || values.subject === 'product');

  const { leaveTo, goBack } = useLeave();

  async function save(): Promise<boolean> {
    const { slug, type } = values;
    const { data } = attribute
      ? await change({ id: attribute.id, input: editsOf(changesOf(values), changesOf(form.getInitialValues())) })
      : await create({ input: { ...changesOf(values), slug, type, subject: values.subject } });
    if (!data) return false;
    showDone(settings.saved);
    if (!attribute) leaveTo(list, { replace: true });
    return true;
  }
  return (
    <>
      <PageTitle title={attribute?.name ?? pages.newAttribute}>
        {attribute && (
          <Button
            component={Link}
            to={address(`review/confidence?attribute=${attribute.slug}`)}
            variant="subtle"
            leftSection={<IconGauge size={16} aria-hidden />}
          >
            {pages.confidence}
          </Button>
        )}
        {attribute && isAdmin && <Delete attribute={attribute} onDone={() => leaveTo(list, { replace: true })} />}
      </PageTitle>
      <form onSubmit={form.onSubmit(() => saveEdits(save))}>
        <Fieldset variant="unstyled" m={0} disabled={!isAdmin} maw={760} aria-label={attributes.settings}>
          <Stack>
            {!isAdmin && <Alert>{attributes.onlyAdmins}</Alert>}
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label={attributes.name}
                maxLength={128}
                autoFocus={!attribute}
                {...getInputProps('name')}
                onChange={({ currentTarget: { value } }) => {
                  if (!attribute && values.slug === slugOf(values.name)) form.setFieldValue('slug', slugOf(value));
                  form.setFieldValue('name', value);
                }}
              />
              <TextInput
                label={attributes.slug}
                description={attributes.slugText}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                maxLength={128}
                disabled={!!attribute}
                {...getInputProps('slug')}
              />
              <Select
                label={attributes.type}
                data={types.map(([value, label]) => ({ value, label }))}
                allowDeselect={false}
                disabled={!!attribute}
                {...getInputProps('type')}
              />
              {values.type === 'number' && <TextInput label={attributes.unit} maxLength={32} {...getInputProps('unit')} />}
            </SimpleGrid>
            <Switch
              label={attributes.isActive}
              description={attributes.isActiveText}
              {...getInputProps('isActive', { type: 'checkbox' })}
            />
            <Textarea
              label={attributes.prompt}
              description={attributes.promptText}
              autosize
              minRows={2}
              maxRows={12}
              maxLength={4_000}
              {...getInputProps('prompt')}
            />
            <Textarea
              label={attributes.categoryPrompt}
              autosize
              minRows={1}
              maxRows={12}
              maxLength={4_000}
              {...getInputProps('categoryPrompt')}
            />
            {hasOptions(values.type) && (
              <Options
                options={values.options}
                onChange={(options) => form.setFieldValue('options', options)}
                disabled={!isAdmin}
              />
            )}
            <TagsInput
              label={attributes.examples}
              description={attributes.examplesText}
              maxTags={20}
              {...getInputProps('examples')}
            />
            <Limits form={form} />
          </Stack>
        </Fieldset>
        <Group justify="flex-end" mt="md" maw={760}>
          <Button variant="default" onClick={() => goBack(list)}>
            {isAdmin ? actions.cancel : actions.back}
          </Button>
          {isAdmin && (
            <Button type="submit" loading={creating.fetching || changing.fetching} disabled={!form.isDirty()}>
              {actions.save}
            </Button>
          )}
        </Group>
      </form>
    </>
  );
}

function Delete({ attribute: { id, name }, onDone }: { attribute: Attribute; onDone(): void }) {
  const { attributes, actions } = useStrings();
  const confirm = useConfirm();
  const [{ fetching }, remove] = useMutation(DELETE);
  async function ask() {
    const question = { title: attributes.deleteTitle(name), text: attributes.deleteText, action: actions.remove, danger: true };
    if (!(await confirm(question))) return;
    const { data } = await remove({ id }, { keep: true });
    if (data) onDone();
  }
  return (
    <Button variant="light" color="red" onClick={ask} loading={fetching}>
      {actions.remove}
    </Button>
  );
}
