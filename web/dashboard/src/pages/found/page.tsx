import { Group, Stack, TextInput } from '@mantine/core';
import { useNavigate } from 'react-router';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import { Action } from '../../parts/elements.tsx';
import { useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { useLeave } from '../../parts/leaving.ts';
import { slugOf } from '../../parts/naming.ts';
import { Narrow } from '../../parts/page-frame.tsx';
import { useFieldRefusal } from '../../parts/refusals.ts';
import { useStrings } from '../../strings/strings.tsx';

const CREATE = graphql(
  `mutation FoundOrganization($name: String!, $slug: String!) { createOrganization(name: $name, slug: $slug) { id slug } }`,
);

/** Founds an organization; its founder becomes the owner. */
export function Page() {
  const { signIn, actions, terms } = useStrings();
  const navigate = useNavigate();
  const { goBack } = useLeave();
  const refuse = useFieldRefusal();
  const [create, isCreating] = useAction(CREATE, {
    after: (data) => navigate(`/o/${data.createOrganization.slug}`),
    failed: (error) => refuse(form, 'slug', error),
  });
  const form = useClosingForm({
    initialValues: { name: '', slug: '' },
    required: ['name'],
    validate: {
      slug: (slug) => (/^[a-z0-9][a-z0-9-]{0,63}$/.test(slug) ? null : signIn.wrongSlug),
    },
  });
  return (
    <Narrow title={signIn.found} text={signIn.foundText}>
      <form onSubmit={form.onSubmit((values) => create(values))}>
        <Stack>
          <TextInput
            {...form.field('name', terms.name)}
            autoComplete="organization"
            maxLength={255}
            onBlur={({ target }) => form.values.slug || form.setFieldValue('slug', slugOf(target.value, 64))}
          />
          <TextInput {...form.field('slug', signIn.slug, signIn.slugHelp)} autoComplete="off" maxLength={64} />
          <Group justify="space-between">
            <Action label={actions.back} variant="subtle" color="gray" onClick={() => goBack('/')} />
            <Action label={actions.create} type="submit" loading={isCreating} />
          </Group>
        </Stack>
      </form>
    </Narrow>
  );
}
