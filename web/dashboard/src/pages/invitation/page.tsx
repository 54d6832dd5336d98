import { Alert, Text } from '@mantine/core';
import { useNavigate, useParams } from 'react-router';
import { useMutation } from 'urql';
import { messageOf } from '../../graph/graph-client.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Action } from '../../parts/elements.tsx';
import { Loaded, Narrow } from '../../parts/page-frame.tsx';
import { useSession } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const INVITATION = graphql(`query ReceivedInvitation($token: String!) { invitation(token: $token) { organization email role } }`);
const ACCEPT = graphql(`mutation AcceptInvitation($token: String!) { acceptInvitation(token: $token) { id slug } }`);

/** The invited user accepts here, after sign-in. */
export function Page() {
  const { signIn, actions } = useStrings();
  const { user } = useSession();
  const { token = '' } = useParams();
  const navigate = useNavigate();
  const query = useQuery({ query: INVITATION, variables: { token } });
  const [{ fetching, error }, accept] = useMutation(ACCEPT);

  async function submit() {
    const { data } = await accept({ token });
    if (data) navigate(`/o/${data.acceptInvitation.slug}`, { replace: true });
  }
  return (
    <Narrow title={signIn.invitation}>
      <Loaded query={query}>
        {({ invitation }) =>
          !invitation ? (
            <Alert color="red">{signIn.noInvitation}</Alert>
          ) : (
            <>
              <Text>{signIn.invitationText(invitation.organization, signIn.roles[invitation.role])}</Text>
              {invitation.email !== user.email && <Alert color="yellow">{signIn.otherUser(invitation.email, user.email)}</Alert>}
              {error && (
                <Alert color="red" role="alert">
                  {messageOf(error)}
                </Alert>
              )}
              <Action label={actions.accept} onClick={submit} loading={fetching} />
            </>
          )
        }
      </Loaded>
    </Narrow>
  );
}
