import { Alert, Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconLogin2 } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { Action } from '../../parts/elements.tsx';
import { Failure, Loading, Narrow, PageState } from '../../parts/page-frame.tsx';
import { oidcPath, readMethods, signInByLink, useResponse } from '../../session/api.ts';
import { useStrings } from '../../strings/strings.tsx';

/** Offers the ways to sign in that the server has, and leads back to `?to=`. */
export function Page() {
  const { signIn } = useStrings();
  const [parameters] = useSearchParams();
  const { answer, retry } = useResponse(readMethods);
  if (!answer) return <Loading />;
  if ('error' in answer) return <Failure error={answer.error} retry={retry} as={PageState} />;
  const to = parameters.get('to') ?? '/';
  const { oidc, links } = answer.value;
  return (
    <Narrow title={signIn.title}>
      {parameters.has('ended') && <Alert color="yellow">{signIn.ended}</Alert>}
      {oidc && (
        <Button component="a" href={oidcPath(to)} leftSection={<IconLogin2 size={18} aria-hidden />}>
          {signIn.withProvider(oidc.name)}
        </Button>
      )}
      {oidc && links && <Divider />}
      {links && <LinkForm to={to} isOnly={!oidc} />}
    </Narrow>
  );
}

function LinkForm({ to, isOnly }: { to: string; isOnly: boolean }) {
  const { signIn } = useStrings();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { link: '' },
    validate: { link: (link) => (tokenOf(link) ? null : signIn.invalidLink) },
  });
  return (
    <form onSubmit={form.onSubmit(({ link }) => navigate(`/auth/link/${tokenOf(link)}?to=${encodeURIComponent(to)}`))}>
      <Stack>
        <Text>{signIn.linkText}</Text>
        <TextInput label={signIn.linkField} description={signIn.linkHelp} autoComplete="off" {...form.getInputProps('link')} />
        <Button type="submit" variant={isOnly ? 'filled' : 'default'}>
          {signIn.title}
        </Button>
      </Stack>
    </form>
  );
}

const tokenOf = (link: string) => /\/auth\/link\/([\w-]+)\/?$/.exec(link.trim())?.[1];

/** Consumes a sign-in link on a click, because mail scanners open every address. */
export function LinkPage() {
  const { signIn } = useStrings();
  const { token = '' } = useParams();
  const to = useSearchParams()[0].get('to') ?? '/';
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  async function consume() {
    setBusy(true);
    try {
      // A new document drops everything that belongs to another session. The token must not stay in the history.
      location.replace(await signInByLink(token, to));
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  }
  return (
    <Narrow title={signIn.linkTitle} text={problem ? undefined : signIn.confirmText}>
      {problem ? (
        <>
          <Alert color="red" role="alert">
            {problem}
          </Alert>
          <Action label={signIn.title} component={Link} to={`/sign-in?to=${encodeURIComponent(to)}`} variant="default" />
        </>
      ) : (
        <Action label={signIn.confirm} onClick={consume} loading={busy} autoFocus />
      )}
    </Narrow>
  );
}
