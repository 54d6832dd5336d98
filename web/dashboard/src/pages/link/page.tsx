import { Alert } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { Action } from '../../parts/elements.tsx';
import { Narrow } from '../../parts/page-frame.tsx';
import { signInByLink } from '../../session/api.ts';
import { useStrings } from '../../strings/strings.tsx';

/** Consumes a sign-in link on a click, because mail scanners open every address. */
export function Page() {
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
