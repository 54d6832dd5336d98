import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from 'urql';
import type { SessionsQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { showDone } from '../../parts/toast.ts';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const SESSIONS = graphql(`query Sessions { sessions { id device createdAt lastUsedAt expiresAt isCurrent } }`);
const END = graphql(`mutation EndSession($id: ID!) { endSession(id: $id) { id } }`);
const END_OTHERS = graphql(`mutation EndOtherSessions { endOtherSessions }`);

/** The devices on which the user is signed in. */
export function Sessions() {
  const { settings } = useStrings();
  const query = useQuery({ query: SESSIONS });
  const [{ fetching }, endOthers] = useMutation(END_OTHERS);
  async function run() {
    const { data } = await endOthers({});
    if (data) showDone(settings.signedOut(data.endOtherSessions));
  }
  return (
    <Section title={settings.sessions}>
      <Loaded query={query}>
        {({ sessions }) => (
          <Stack>
            {sessions.map((session) => (
              <Session key={session.id} session={session} />
            ))}
            {sessions.length > 1 && (
              <Button variant="default" onClick={run} loading={fetching} style={{ alignSelf: 'start' }}>
                {settings.endOthers}
              </Button>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function Session({ session: { id, device, createdAt, lastUsedAt, isCurrent } }: { session: SessionsQuery['sessions'][number] }) {
  const { settings, layout } = useStrings();
  const formats = useFormats();
  const name = settings.device(device);
  const [{ fetching }, end] = useMutation(END);
  async function run() {
    const { data } = await end({ id });
    if (data) showDone(settings.signedOut(1));
  }
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {name}
          </Text>
          {isCurrent && (
            <Badge size="sm" variant="light">
              {settings.thisDevice}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {settings.used(formats.ago(lastUsedAt), formats.date(createdAt))}
        </Text>
      </div>
      {!isCurrent && (
        <Button size="xs" variant="default" onClick={run} loading={fetching} aria-label={`${layout.signOut}: ${name}`}>
          {layout.signOut}
        </Button>
      )}
    </Group>
  );
}
