import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '../../../graph/use-query.ts';
import { Drawer } from '../../../parts/dialog.tsx';
import { mailLink } from '../../../parts/mail-link.ts';
import { Loaded } from '../../../parts/states.tsx';
import { useOrganization } from '../../../session/organization.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { CONTACT, type Contact } from './documents.ts';
import { Erasure } from './erasure.tsx';
import { PersonalData } from './personal-data.tsx';
import { Conversations, Leads, Tickets } from './records.tsx';

/** One contact, with its leads, tickets and conversations. */
export function ContactDrawer({ id, onClose, onErased }: { id: string; onClose(): void; onErased(): void }) {
  const { inbox } = useStrings();
  const { isAdmin } = useOrganization();
  const query = useQuery({ query: CONTACT, variables: { id } });
  const contact = query[0].data?.contact;
  return (
    <Drawer onClose={onClose} position="right" size="lg" title={contact?.name || contact?.email || inbox.contact}>
      <Loaded query={query}>
        {({ contact: loaded }) =>
          loaded.erasure ? (
            isAdmin ? (
              <Erasure id={id} onDone={onErased} />
            ) : (
              <Text size="sm">{inbox.erasing}</Text>
            )
          ) : (
            <Stack gap="lg">
              <Facts contact={loaded} />
              {isAdmin && <PersonalData contact={loaded} />}
              <Conversations id={id} />
              <Tickets id={id} />
              <Leads id={id} />
            </Stack>
          )
        }
      </Loaded>
    </Drawer>
  );
}

function Facts({ contact: { email, phone, createdAt } }: { contact: Contact }) {
  const { inbox } = useStrings();
  const formats = useFormats();
  return (
    <Stack gap={4}>
      {email && (
        <Anchor size="sm" href={mailLink(email)} style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Anchor>
      )}
      {phone && (
        <Anchor size="sm" href={`tel:${phone.replace(/[^+\d]/g, '')}`}>
          {phone}
        </Anchor>
      )}
      <Text size="sm" c="dimmed">
        {inbox.firstSeen}: {formats.time(createdAt)}
      </Text>
    </Stack>
  );
}
