import { Alert, Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconLogin2 } from '@tabler/icons-react';
import { use, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { Narrow } from '../../parts/narrow.tsx';
import { Unreachable } from '../../parts/states.tsx';
import { oidcPath, readMethods } from '../../session/api.ts';
import { useStrings } from '../../strings/strings.tsx';

/** Offers the ways to sign in that the server has, and leads back to `?to=`. */
export function Page() {
  const { signIn } = useStrings();
  const [parameters] = useSearchParams();
  const [reading, setReading] = useState(() => readMethods().catch(() => null));
  const methods = use(reading);
  if (!methods) return <Unreachable retry={() => setReading(readMethods().catch(() => null))} />;
  return (
    <Narrow title={signIn.title}>
      {parameters.has('ended') && <Alert color="yellow">{signIn.ended}</Alert>}
      {methods.oidc && (
        <Button component="a" href={oidcPath(parameters.get('to') ?? '/')} leftSection={<IconLogin2 size={18} aria-hidden />}>
          {signIn.withProvider(methods.oidc.name)}
        </Button>
      )}
      {methods.oidc && methods.links && <Divider />}
      {methods.links && <LinkForm />}
    </Narrow>
  );
}

function LinkForm() {
  const { signIn } = useStrings();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { link: '' },
    validate: { link: (link) => (tokenOf(link) ? null : signIn.invalidLink) },
  });
  return (
    <form onSubmit={form.onSubmit(({ link }) => navigate(`/auth/link/${tokenOf(link)}`))}>
      <Stack>
        <Text size="sm">{signIn.linkText}</Text>
        <TextInput label={signIn.linkField} description={signIn.linkHelp} autoComplete="off" {...form.getInputProps('link')} />
        <Button type="submit" variant="default">
          {signIn.open}
        </Button>
      </Stack>
    </form>
  );
}

const tokenOf = (link: string) => /\/auth\/link\/([\w-]+)\/?$/.exec(link.trim())?.[1];
