import { Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { SessionsQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { Action, Note, SmallAction, Submit, Tag } from '../../parts/elements.tsx';
import { useForm } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

const ME = graphql(`query Me { me { id name email } }`);
const RENAME = graphql(`mutation RenameMe($name: String!) { updateMe(name: $name) { id name } }`);

/** The name of the user, and where the user is signed in. */
export function Part() {
  const query = useQuery({ query: ME });
  return (
    <Loaded query={query}>
      {({ me }) => (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Profile key={me.id} name={me.name} email={me.email} />
          <Sessions />
        </SimpleGrid>
      )}
    </Loaded>
  );
}

function Profile({ name, email }: { name: string; email: string }) {
  const { settings, actions, terms } = useStrings();
  const [rename, fetching] = useAction(RENAME, { done: terms.saved });
  const form = useForm({ initialValues: { name }, required: ['name'] });
  useUnsaved(form.isDirty());

  async function submit(values: { name: string }) {
    if (await rename(values)) form.resetDirty(values);
  }
  return (
    <Section title={settings.parts.profile}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput {...form.field('name', terms.name, settings.nameHelp)} autoComplete="name" maxLength={255} />
          <TextInput label={settings.email} description={settings.emailHelp} value={email} readOnly />
          <Submit label={actions.save} loading={fetching} disabled={!form.isDirty()} />
        </Stack>
      </form>
    </Section>
  );
}

const SESSIONS = graphql(`query Sessions { sessions { id device createdAt lastUsedAt expiresAt isCurrent } }`);
const END = graphql(`mutation EndSession($id: ID!) { endSession(id: $id) { id } }`);
const END_OTHERS = graphql(`mutation EndOtherSessions { endOtherSessions }`);

/** The devices on which the user is signed in. */
function Sessions() {
  const { settings } = useStrings();
  const query = useQuery({ query: SESSIONS });
  const endOthers = useButton(END_OTHERS, { done: (data) => settings.signedOut(data.endOtherSessions) });
  return (
    <Section title={settings.sessions}>
      <Loaded query={query}>
        {({ sessions }) => (
          <Stack>
            {sessions.map((session) => (
              <Session key={session.id} session={session} />
            ))}
            {sessions.length > 1 && (
              <Action label={settings.endOthers} variant="default" style={{ alignSelf: 'start' }} {...endOthers({})} />
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function Session({ session: { id, device, createdAt, lastUsedAt, isCurrent } }: { session: SessionsQuery['sessions'][number] }) {
  const { settings, layout, formats } = useStrings();
  const name = settings.device(device);
  const end = useButton(END, { done: settings.signedOut(1) });
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          {isCurrent && <Tag label={settings.thisDevice} size="sm" />}
        </Group>
        <Note size="xs">{settings.used(formats.ago(lastUsedAt), formats.date(createdAt))}</Note>
      </div>
      {!isCurrent && <SmallAction label={layout.signOut} of={name} {...end({ id })} />}
    </Group>
  );
}
