import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from 'urql';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { showDone } from '../../parts/toast.ts';
import { useUnsaved } from '../../parts/unsaved.ts';
import { useStrings } from '../../strings/strings.tsx';
import { Sessions } from './sessions.tsx';

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
  const { settings, signIn, actions } = useStrings();
  const [{ fetching }, rename] = useMutation(RENAME);
  const form = useForm({
    initialValues: { name },
    validate: { name: (value) => (value.trim() ? null : signIn.required) },
  });
  useUnsaved(form.isDirty());

  async function submit(values: { name: string }) {
    const { data } = await rename(values);
    if (!data) return;
    form.resetDirty(values);
    showDone(settings.saved);
  }
  return (
    <Section title={settings.parts.profile}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput
            label={signIn.name}
            description={settings.nameHelp}
            autoComplete="name"
            maxLength={255}
            {...form.getInputProps('name')}
          />
          <TextInput label={settings.email} description={settings.emailHelp} value={email} readOnly />
          <Group justify="end">
            <Button type="submit" loading={fetching} disabled={!form.isDirty()}>
              {actions.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
