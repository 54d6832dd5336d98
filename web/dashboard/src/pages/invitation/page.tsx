import { Alert, Button } from '@mantine/core';
import { useNavigate, useParams } from 'react-router';
import { useMutation } from 'urql';
import { messageOf } from '../../graph/client.ts';
import { graphql } from '../../graph/graphql.ts';
import { Narrow } from '../../parts/narrow.tsx';
import { useSession } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const ACCEPT = graphql(`mutation AcceptInvitation($token: String!) { acceptInvitation(token: $token) { id slug } }`);

/** The invited user accepts here, after sign-in. */
export function Page() {
  const { signIn } = useStrings();
  const { user } = useSession();
  const { token = '' } = useParams();
  const navigate = useNavigate();
  const [{ fetching, error }, accept] = useMutation(ACCEPT);

  async function submit() {
    const { data } = await accept({ token });
    if (data) navigate(`/o/${data.acceptInvitation.slug}`, { replace: true });
  }
  return (
    <Narrow title={signIn.invitation} text={`${signIn.invitationText} (${user.email})`}>
      {error && (
        <Alert color="red" role="alert">
          {messageOf(error)}
        </Alert>
      )}
      <Button onClick={submit} loading={fetching}>
        {signIn.accept}
      </Button>
    </Narrow>
  );
}
