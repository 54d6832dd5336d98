import { Badge, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from 'urql';
import type { OrganizationSettingsQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useConfirm } from '../../parts/confirm.ts';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { showDone } from '../../parts/toast.ts';
import { discardUnsaved, useUnsaved } from '../../parts/unsaved.ts';
import { useOrganization } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { Storage } from './storage.tsx';

const READ = graphql(`query OrganizationSettings { organization { id name slug plan modules createdAt } }`);
const CHANGE = graphql(`
  mutation ChangeOrganization($name: String!, $slug: String!) { updateOrganization(name: $name, slug: $slug) { id name slug } }
`);
const LEAVE = graphql(`mutation LeaveOrganization { leaveOrganization { id } }`);

/** Name, plan, modules and storage of the organization. */
export function Part() {
  const query = useQuery({ query: READ });
  return (
    <Loaded query={query}>
      {({ organization }) => (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Names key={organization.id} organization={organization} />
          <Plan organization={organization} />
          <Storage />
          <Leave name={organization.name} />
        </SimpleGrid>
      )}
    </Loaded>
  );
}

type Settings = OrganizationSettingsQuery['organization'];

function Names({ organization: { name, slug } }: { organization: Settings }) {
  const { settings, actions, signIn } = useStrings();
  const { isAdmin, refresh } = useOrganization();
  const confirm = useConfirm();
  const [{ fetching }, change] = useMutation(CHANGE);
  const form = useForm({
    initialValues: { name, slug },
    validate: {
      name: (value) => (value.trim() ? null : signIn.required),
      slug: (value) => (/^[a-z0-9][a-z0-9-]{0,63}$/.test(value) ? null : signIn.wrongSlug),
    },
  });

  useUnsaved(form.isDirty());

  async function submit(values: { name: string; slug: string }) {
    const isMoved = values.slug !== slug;
    const { slugTitle: title, slugText: text } = settings;
    if (isMoved && !(await confirm({ title, text, action: actions.save, danger: true }))) return;
    const { data } = await change(values);
    if (!data) return;
    // A new document, because all addresses of the page have changed.
    if (isMoved) {
      discardUnsaved();
      return location.assign(`/o/${data.updateOrganization.slug}/settings`);
    }
    showDone(settings.saved);
    form.resetDirty(values);
    refresh();
  }
  return (
    <Section title={settings.parts.organization}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput label={signIn.name} maxLength={255} readOnly={!isAdmin} {...form.getInputProps('name')} />
          <TextInput
            label={signIn.slug}
            description={signIn.slugHelp}
            maxLength={64}
            readOnly={!isAdmin}
            {...form.getInputProps('slug')}
          />
          {isAdmin ? (
            <Group justify="end">
              <Button type="submit" loading={fetching} disabled={!form.isDirty()}>
                {actions.save}
              </Button>
            </Group>
          ) : (
            <Text size="sm">{settings.onlyAdmins}</Text>
          )}
        </Stack>
      </form>
    </Section>
  );
}

function Plan({ organization: { plan, modules, createdAt } }: { organization: Settings }) {
  const { settings } = useStrings();
  const formats = useFormats();
  return (
    <Section title={settings.plan}>
      <Stack gap="sm">
        <Text size="xl" fw={650}>
          {settings.plans[plan]}
        </Text>
        <Group gap="xs">
          <Text size="sm">{settings.modules}</Text>
          {modules.map((module) => (
            <Badge key={module} variant="light">
              {settings.moduleNames[module]}
            </Badge>
          ))}
          {modules.length === 0 && <Text size="sm">{settings.noModules}</Text>}
        </Group>
        <Text size="sm">{settings.planText}</Text>
        <Text size="sm" c="dimmed">
          {settings.founded(formats.date(createdAt))}
        </Text>
      </Stack>
    </Section>
  );
}

function Leave({ name }: { name: string }) {
  const { settings } = useStrings();
  const confirm = useConfirm();
  const [{ fetching }, leave] = useMutation(LEAVE);
  async function ask() {
    if (!(await confirm({ title: settings.leaveTitle(name), text: settings.leaveText, action: settings.leave, danger: true })))
      return;
    const { data } = await leave({});
    // A new document drops everything that belongs to the organization.
    if (!data) return;
    discardUnsaved();
    location.assign('/');
  }
  return (
    <Section title={settings.leave}>
      <Stack gap="sm" align="start">
        <Text size="sm">{settings.leaveText}</Text>
        <Button variant="default" onClick={ask} loading={fetching}>
          {settings.leave}
        </Button>
      </Stack>
    </Section>
  );
}
