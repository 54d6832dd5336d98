import {
  Accordion,
  Box,
  ColorInput,
  Fieldset,
  Group,
  NumberInput,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useId } from 'react';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { Action, Note } from '../../parts/elements.tsx';
import { LongText, useFollowedForm, useForm } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import classes from './agent.module.css';
import { DELETE_AGENT, type TabProps, UPDATE_AGENT } from './agent-documents.ts';
import { OfficeHoursForm } from './office-hours-form.tsx';
import { changeOf, Preview, type SettingsForm, valuesOf } from './preview.tsx';

/** The settings of an agent, beside a live preview of its widget. */
export function Tab({ agent }: TabProps) {
  const { agents, actions } = useStrings();
  const { organization } = useOrganization();
  const [update, fetching] = useAction(UPDATE_AGENT, { done: agents.saved });
  const values = valuesOf(agent);
  const form = useForm({ initialValues: values, required: ['name'] });
  const isDirty = form.isDirty();
  useUnsaved(isDirty);

  const saveEdits = useFollowedForm(form, values);

  const save = (edited: Partial<typeof values>) => update({ id: agent.id, input: changeOf(agent, form.getValues(), edited) });
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing="xl">
      <Stack gap="lg">
        <form onSubmit={form.onSubmit(() => saveEdits(save))} aria-label={agents.tabs.settings}>
          <Stack gap="lg">
            <Behavior form={form} />
            <Appearance form={form} />
            <Access form={form} isDraft={agent.draftOf !== null} />
            <Paper className={classes.save} p="sm" withBorder>
              <Group justify="space-between">
                <Text role="status">{isDirty ? agents.unsaved : agents.unchanged}</Text>
                <Group gap="xs">
                  <Action label={actions.discard} variant="default" disabled={!isDirty} onClick={form.reset} />
                  <Action label={actions.save} type="submit" disabled={!isDirty} loading={fetching} />
                </Group>
              </Group>
            </Paper>
          </Stack>
        </form>
        {!agent.draftOf && (
          <>
            {organization.modules.includes('helpdesk') && <OfficeHoursForm agent={agent} />}
            <DeleteAgent agent={agent} />
          </>
        )}
      </Stack>
      <Box className={classes.preview}>
        <Preview agent={agent} values={form.values} />
      </Box>
    </SimpleGrid>
  );
}

/** How the agent answers. */
function Behavior({ form }: { form: SettingsForm }) {
  const { agents, terms } = useStrings();
  return (
    <Fieldset legend={agents.behavior}>
      <Stack>
        <TextInput {...form.field('name', terms.name, agents.nameHelp)} maxLength={255} />
        <LongText
          {...form.field('systemPrompt', agents.systemPrompt, agents.systemPromptHelp)}
          rows={[5, 18]}
          maxLength={100_000}
        />
        <Choice
          form={form}
          name="modelType"
          label={terms.model}
          data={Object.entries(agents.models).map(([value, label]) => ({ value, label }))}
        />
        <Accordion variant="contained">
          <Accordion.Item value="advanced">
            <Accordion.Control>{agents.advanced}</Accordion.Control>
            <Accordion.Panel>
              <Stack>
                <SettingNumber form={form} name="temperature" help={agents.temperatureHelp} />
                <SettingNumber form={form} name="maxTokensPerMessage" help={agents.maxTokensHelp} />
                <SettingNumber form={form} name="maxRetrievalTokens" help={agents.maxRetrievalHelp} />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      </Stack>
    </Fieldset>
  );
}

const WHOLE = { allowDecimal: false } as const;
/** Bounds of the server. */
const LIMITS = {
  temperature: { min: 0, max: 2, step: 0.1, decimalScale: 2 },
  maxTokensPerMessage: { min: 64, max: 8_000, step: 64, ...WHOLE },
  maxRetrievalTokens: { min: 0, max: 16_000, step: 500, ...WHOLE },
  dailyCreditLimit: { min: 0, max: 1_000_000, ...WHOLE },
  retentionDays: { min: 1, max: 3_650, ...WHOLE },
};

interface SettingNumberProps {
  form: SettingsForm;
  name: keyof typeof LIMITS;
  help: string;
  placeholder?: string;
}

function SettingNumber({ form, name, help, placeholder }: SettingNumberProps) {
  const { agents } = useStrings();
  const limits = LIMITS[name];
  return <NumberInput {...form.field(name, agents[name], help)} placeholder={placeholder} {...limits} />;
}

interface ChoiceProps {
  form: SettingsForm;
  name: 'modelType' | 'position';
  label: string;
  data: { value: string; label: string }[];
}

function Choice({ form, name, label, data }: ChoiceProps) {
  const id = useId();
  return (
    <Stack gap={4} align="flex-start">
      <Text fw={500} id={id}>
        {label}
      </Text>
      <SegmentedControl aria-labelledby={id} data={data} {...form.getInputProps(name)} />
    </Stack>
  );
}

const swatches = ['#3b55bc', '#0b7285', '#2b8a3e', '#e8590c', '#c2255c', '#5f3dc4', '#212529'];

/** The texts, colors and position of the widget. */
function Appearance({ form }: { form: SettingsForm }) {
  const { agents } = useStrings();
  return (
    <Fieldset legend={agents.appearance}>
      <Stack>
        <LongText {...form.field('welcomeMessage', agents.welcomeMessage)} rows={[1, 6]} maxLength={4_000} />
        <TextInput {...form.field('placeholder', agents.placeholder, agents.placeholderHelp)} maxLength={255} />
        <TagsInput
          {...form.field('suggestedMessages', agents.suggestedMessages, agents.suggestedHelp)}
          maxTags={20}
          splitChars={[]}
          acceptValueOnBlur
        />
        <Group grow align="flex-start">
          {(['primary', 'bubble'] as const).map((name) => (
            <ColorInput
              key={name}
              {...form.field(name, agents[name])}
              placeholder={agents.automatic}
              format="hex"
              swatches={swatches}
              closeOnColorSwatchClick
              eyeDropperButtonProps={{ 'aria-label': agents.pickColor }}
            />
          ))}
        </Group>
        <Choice
          form={form}
          name="position"
          label={agents.position}
          data={[
            { value: 'left', label: agents.left },
            { value: 'right', label: agents.right },
          ]}
        />
        <Switch {...form.check('poweredByVisible', agents.poweredBy)} />
      </Stack>
    </Fieldset>
  );
}

const ATTRIBUTES = graphql(`query AttributeSlugs { attributes { id slug } }`);

/** Public access, limits, and the catalog access of the agent. A draft has neither visitors nor limits of its own. */
function Access({ form, isDraft }: { form: SettingsForm; isDraft: boolean }) {
  const { agents, pages } = useStrings();
  const { catalogAccess } = form.values;
  const [{ data }] = useQuery({ query: ATTRIBUTES, pause: !catalogAccess });
  return (
    <Fieldset legend={agents.limits}>
      <Stack>
        {!isDraft && <Switch {...form.check('publicAccess', agents.publicAccess, agents.publicAccessHelp)} />}
        <Switch {...form.check('voiceEnabled', agents.voice, agents.voiceHelp)} />
        <Switch {...form.check('requireApprovals', agents.safety.require, agents.safety.requireHelp)} />
        {!isDraft && (
          <>
            <SettingNumber form={form} name="dailyCreditLimit" help={agents.dailyCreditHelp} />
            <SettingNumber form={form} name="retentionDays" help={agents.retentionHelp} placeholder={agents.forever} />
          </>
        )}
        <Switch {...form.check('catalogAccess', agents.catalogAccess, agents.catalogHelp)} />
        {catalogAccess && (
          <>
            <TagsInput
              {...form.field('catalogAttributes', pages.attributes, agents.catalogAttributesHelp)}
              data={data?.attributes.map(({ slug }) => slug)}
              limit={20}
              maxTags={500}
              acceptValueOnBlur
            />
            <TextInput
              {...form.field('productPage', agents.productPage, agents.productPageHelp)}
              placeholder="https://shop.example.com/p/{{sku}}"
              maxLength={2_000}
            />
            <Switch {...form.check('productPictures', agents.productPictures, agents.productPicturesHelp)} />
          </>
        )}
      </Stack>
    </Fieldset>
  );
}

function DeleteAgent({ agent }: TabProps) {
  const { agents, actions } = useStrings();
  const { leaveTo } = useGo();
  const [remove] = useAction(DELETE_AGENT, {
    ask: { title: actions.deleteTitle(agent.name), text: agents.deleteText, action: actions.delete },
    // The page of a deleted agent would show an error, so leave it first.
    context: { keep: true },
    after: () => leaveTo('agents'),
  });
  return (
    <Group justify="space-between">
      <Note>{agents.deleteText}</Note>
      <Action label={actions.delete} color="red" variant="light" icon={IconTrash} onClick={() => remove({ id: agent.id })} />
    </Group>
  );
}
