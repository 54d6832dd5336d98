import { Group, Progress, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import type { OrganizationSettingsQuery } from '../../../.graph/graphql.ts';
import { graphql, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { Action, Note, Submit, Tag } from '../../parts/elements.tsx';
import { useForm } from '../../parts/forms-and-dialogs.tsx';
import { discardUnsaved, useUnsaved } from '../../parts/leaving.ts';
import { showDone, useConfirm } from '../../parts/overlays.tsx';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { useFieldRefusal } from '../../parts/refusals.ts';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

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
  const { settings, actions, signIn, terms } = useStrings();
  const { isAdmin, refresh } = useOrganization();
  const confirm = useConfirm();
  const [{ fetching }, change] = useMutation(CHANGE);
  const form = useForm({
    initialValues: { name, slug },
    required: ['name'],
    validate: {
      slug: (value) => (/^[a-z0-9][a-z0-9-]{0,63}$/.test(value) ? null : signIn.wrongSlug),
    },
  });

  useUnsaved(form.isDirty());
  const refuse = useFieldRefusal();

  async function submit(values: { name: string; slug: string }) {
    const isMoved = values.slug !== slug;
    const { slugTitle: title, slugText: text } = settings;
    if (isMoved && !(await confirm({ title, text, action: actions.save, danger: true }))) return;
    const { data, error } = await change(values, { quiet: true });
    if (error) refuse(form, 'slug', error);
    if (!data) return;
    // A new document, because all addresses of the page have changed.
    if (isMoved) {
      discardUnsaved();
      return location.assign(`/o/${data.updateOrganization.slug}/settings`);
    }
    showDone(terms.saved);
    form.resetDirty(values);
    refresh();
  }
  return (
    <Section title={settings.parts.organization}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput {...form.field('name', terms.name)} maxLength={255} readOnly={!isAdmin} />
          <TextInput {...form.field('slug', signIn.slug, signIn.slugHelp)} maxLength={64} readOnly={!isAdmin} />
          {isAdmin ? (
            <Submit label={actions.save} loading={fetching} disabled={!form.isDirty()} />
          ) : (
            <Text>{settings.onlyAdmins}</Text>
          )}
        </Stack>
      </form>
    </Section>
  );
}

function Plan({ organization: { plan, modules, createdAt } }: { organization: Settings }) {
  const { settings, terms, formats } = useStrings();
  return (
    <Section title={settings.plan}>
      <Stack gap="sm">
        <Text size="xl" fw={650}>
          {settings.plans[plan]}
        </Text>
        <Group gap="xs">
          <Text>{settings.modules}</Text>
          {modules.map((module) => (
            <Tag key={module} label={settings.moduleNames[module]} />
          ))}
          {modules.length === 0 && <Text>{terms.none}</Text>}
        </Group>
        <Text>{settings.planText}</Text>
        <Note>{settings.founded(formats.date(createdAt))}</Note>
      </Stack>
    </Section>
  );
}

function Leave({ name }: { name: string }) {
  const { settings } = useStrings();
  const ask = { title: settings.leaveTitle(name), text: settings.leaveText, action: settings.leave };
  // A new document drops everything that belongs to the organization.
  const open = () => {
    discardUnsaved();
    location.assign('/');
  };
  const leave = useButton(LEAVE, { ask, after: open });
  return (
    <Section title={settings.leave}>
      <Stack gap="sm" align="start">
        <Text>{settings.leaveText}</Text>
        <Action label={settings.leave} variant="default" {...leave({})} />
      </Stack>
    </Section>
  );
}

const STORAGE = graphql(`
  query Storage { organization { id storage { bytes limit kinds { kind bytes } files { bytes limit } } } }
`);

/** The storage that the organization takes, and its quotas. */
function Storage() {
  const { storage: strings, formats } = useStrings();
  const query = useQuery({ query: STORAGE });
  return (
    <Section title={strings.title}>
      <Loaded query={query}>
        {({ organization: { storage } }) => {
          const kinds = storage.kinds.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
          return (
            <Stack gap="md">
              <Quota label={strings.data} bytes={storage.bytes} limit={storage.limit} />
              {kinds.length > 0 && (
                <Stack gap={4}>
                  {kinds.map(({ kind, bytes }) => (
                    <Group key={kind} justify="space-between" gap="xs">
                      <Text>{strings.kinds[kind]}</Text>
                      <Text>{formats.bytes(bytes)}</Text>
                    </Group>
                  ))}
                </Stack>
              )}
              <Quota label={strings.files} bytes={storage.files.bytes} limit={storage.files.limit} />
              <Note>{strings.help}</Note>
            </Stack>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Percentages of a quota from which on the bar warns. */
const [WARNING, FULL] = [80, 100];

function Quota({ label, bytes, limit }: { label: string; bytes: number; limit?: number | null }) {
  const { storage: strings, formats } = useStrings();
  const used = limit == null ? formats.bytes(bytes) : strings.of(formats.bytes(bytes), formats.bytes(limit));
  const share = limit == null ? 0 : limit === 0 ? FULL : Math.min(FULL, (FULL * bytes) / limit);
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{label}</Text>
        <Text>{used}</Text>
      </Group>
      {limit != null && (
        <Progress
          size="sm"
          aria-label={`${label}: ${used}`}
          value={share}
          color={share >= FULL ? 'red.7' : share >= WARNING ? 'orange.7' : 'indigo.6'}
        />
      )}
      {share >= FULL && <Text c="red">{strings.full}</Text>}
    </Stack>
  );
}
