import {
  Alert,
  Box,
  CloseButton,
  Fieldset,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { Action, LinkAction } from '../../parts/elements.tsx';
import { Choice, editsOf, LongText, typed, useClosingForm, useFollowedForm } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { languageName, slugOf } from '../../parts/naming.ts';
import { LoadedPage, PageTitle, Section } from '../../parts/page-frame.tsx';
import { useFieldRefusal } from '../../parts/refusals.ts';
import { useSubject } from '../../parts/url-state.ts';
import { useGo, useOrganization } from '../../session/session.tsx';
import { useLanguage, useStrings } from '../../strings/strings.tsx';
import { DefaultPrecision } from '../../values/precision.tsx';
import {
  Attribute,
  boundsOf,
  changesOf,
  hasOptions,
  Limits,
  Options,
  Subject,
  type Translation,
  valuesOf,
} from './constraints.tsx';

graphql(`
  fragment EditedAttribute on Attribute {
    id name subject slug type prompt categoryPrompt isActive options examples unit autoAccept
    constraints { minLength maxLength min max minItems maxItems minWords maxWords format }
    translations { language name options { option label } }
  }
`);
const ATTRIBUTE = graphql(`query AttributePage($id: ID!) { attribute(id: $id) { ...EditedAttribute } }`);
const CREATE = graphql(`
  mutation CreateAttribute($input: NewAttribute!) { createAttribute(input: $input) { ...EditedAttribute } }
`);
const CHANGE = graphql(`
  mutation ChangeAttribute($id: ID!, $input: AttributeChange!) { updateAttribute(id: $id, input: $input) { ...EditedAttribute } }
`);
const DELETE = graphql(`mutation DeleteAttribute($id: ID!) { deleteAttribute(id: $id) { id } }`);

export function Page() {
  const { id = '' } = useParams();
  const [subject] = useSubject();
  if (id === 'new') return <Editor attribute={null} subject={subject} />;
  return <Existing id={id} />;
}

function Existing({ id }: { id: string }) {
  const query = useQuery({ query: ATTRIBUTE, variables: { id } });
  return (
    <LoadedPage query={query}>
      {({ attribute }) => <Editor key={attribute.id} attribute={attribute} subject={attribute.subject} />}
    </LoadedPage>
  );
}

/** Edits an attribute. Members see it without being able to change it. */
function Editor({ attribute, subject }: { attribute: Attribute | null; subject: Subject }) {
  const { attributes, confidence, actions, pages, terms } = useStrings();
  const { isAdmin } = useOrganization();
  const [create, isCreating] = useAction(CREATE, {
    done: terms.saved,
    after: () => leaveTo(list, { replace: true }),
    failed: (error) => refuse(form, 'slug', error),
  });
  const [change, isChanging] = useAction(CHANGE, { done: terms.saved });
  const stored = valuesOf(attribute, subject);
  const form = useClosingForm(
    {
      initialValues: stored,
      required: ['name'],
      validate: {
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
  const refuse = useFieldRefusal();
  const { values, field, check } = form;
  const list = `attributes?subject=${values.subject}`;
  const types = Object.entries(attributes.types).filter(([type]) => type !== 'date' || values.subject === 'product');

  const { leaveTo, goBack } = useGo();

  function save(): Promise<boolean> {
    const { slug, type } = values;
    if (!attribute) return create({ input: { ...changesOf(values), slug, type, subject: values.subject } });
    return change({ id: attribute.id, input: editsOf(changesOf(values), changesOf(form.getInitialValues())) });
  }
  return (
    <>
      <PageTitle title={attribute?.name ?? pages.newAttribute}>
        {attribute && (
          <LinkAction
            label={pages.confidence}
            to={`review/confidence?attribute=${attribute.slug}`}
            variant="subtle"
            icon={IconGauge}
          />
        )}
        {attribute && isAdmin && <Delete attribute={attribute} onDone={() => leaveTo(list, { replace: true })} />}
      </PageTitle>
      <form onSubmit={form.onSubmit(() => saveEdits(save))}>
        <Fieldset variant="unstyled" m={0} disabled={!isAdmin} maw={760} aria-label={pages.settings}>
          <Stack>
            {!isAdmin && <Alert>{attributes.onlyAdmins}</Alert>}
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                {...field('name', terms.name)}
                maxLength={128}
                autoFocus={!attribute}
                onChange={({ currentTarget: { value } }) => {
                  if (!attribute && values.slug === slugOf(values.name, 128)) form.setFieldValue('slug', slugOf(value, 128));
                  form.setFieldValue('name', value);
                }}
              />
              <TextInput
                {...field('slug', terms.slug, attributes.slugText)}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                maxLength={128}
                disabled={!!attribute}
              />
              <Choice
                {...field('type', attributes.type)}
                data={types.map(([value, label]) => ({ value, label }))}
                disabled={!!attribute}
              />
              {values.type === 'number' && <TextInput {...field('unit', terms.unit)} maxLength={32} />}
            </SimpleGrid>
            <Switch {...check('isActive', terms.active, attributes.isActiveText)} />
            <LongText {...field('prompt', attributes.prompt, attributes.promptText)} rows={[2, 12]} maxLength={4_000} />
            <LongText {...field('categoryPrompt', attributes.categoryPrompt)} rows={[1, 12]} maxLength={4_000} />
            {hasOptions(values.type) && (
              <Options
                options={values.options}
                onChange={(options) => form.setFieldValue('options', options)}
                disabled={!isAdmin}
              />
            )}
            <TagsInput {...field('examples', attributes.examples, attributes.examplesText)} maxTags={20} />
            <Limits form={form} />
            <Translations
              translations={values.translations}
              options={hasOptions(values.type) ? values.options : []}
              onChange={(translations) => form.setFieldValue('translations', translations)}
            />
          </Stack>
        </Fieldset>
        <Group justify="flex-end" mt="md" maw={760}>
          <Action label={isAdmin ? actions.cancel : actions.back} variant="default" onClick={() => goBack(list)} />
          {isAdmin && <Action label={actions.save} type="submit" loading={isCreating || isChanging} disabled={!form.isDirty()} />}
        </Group>
      </form>
      {attribute?.subject === 'product' && (
        <Box maw={760} mt="md">
          <DefaultPrecision
            key={attribute.autoAccept}
            of={{ attributeId: attribute.id }}
            stored={attribute.autoAccept ?? null}
            text={confidence.ofAttribute}
          />
        </Box>
      )}
    </>
  );
}

function Delete({ attribute: { id, name }, onDone }: { attribute: Attribute; onDone(): void }) {
  const { attributes, actions } = useStrings();
  const ask = { title: actions.deleteTitle(name), text: attributes.deleteText, action: actions.delete };
  const remove = useButton(DELETE, { ask, after: onDone, context: { keep: true } });
  return <Action label={actions.delete} variant="light" color="red" {...remove({ id })} />;
}

/** Languages to choose from. Others can be written by the API. */
const LANGUAGES = [
  ...['bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'hr', 'hu', 'it', 'ja', 'lt', 'lv', 'nl', 'no', 'pl', 'pt', 'ro'],
  ...['sk', 'sl', 'sv', 'tr', 'uk', 'zh'],
];

interface Props {
  translations: Translation[];
  options: string[];
  onChange(translations: Translation[]): void;
}

/** The name of the attribute and the labels of its options in other languages. */
function Translations({ translations, options, onChange }: Props) {
  const { attributes } = useStrings();
  const { language } = useLanguage();
  const nameOf = (code: string) => languageName(code, language);
  const others = LANGUAGES.filter((each) => !translations.some((known) => known.language === each));
  const change = (at: number, changes: Partial<Translation>) =>
    onChange(translations.map((each, index) => (index === at ? { ...each, ...changes } : each)));
  return (
    <Section title={attributes.translations}>
      <Text mb="sm">{attributes.translationsText}</Text>
      <Stack>
        {translations.map(({ language: code, name, labels }, at) => (
          <Fieldset key={code} legend={nameOf(code)}>
            <Group align="flex-end" wrap="nowrap">
              <TextInput
                {...typed(name, (value) => change(at, { name: value }))}
                label={attributes.nameIn(nameOf(code))}
                maxLength={128}
                flex={1}
              />
              <CloseButton
                mb={6}
                aria-label={attributes.removeLanguage(nameOf(code))}
                onClick={() => onChange(translations.filter((_, index) => index !== at))}
              />
            </Group>
            {options.length > 0 && (
              <SimpleGrid cols={{ base: 1, sm: 2 }} mt="sm">
                {options.map((option) => (
                  <TextInput
                    key={option}
                    {...typed(labels[option] ?? '', (value) => change(at, { labels: { ...labels, [option]: value } }))}
                    label={option}
                    maxLength={1_000}
                  />
                ))}
              </SimpleGrid>
            )}
          </Fieldset>
        ))}
        <Select
          aria-label={attributes.addLanguage}
          placeholder={attributes.addLanguage}
          data={others.map((code) => ({ value: code, label: nameOf(code) }))}
          value={null}
          onChange={(code) => code && onChange([...translations, { language: code, name: '', labels: {} }])}
          searchable
          maw={320}
        />
      </Stack>
    </Section>
  );
}
