import { Center, Text } from '@mantine/core';
import { useParams } from 'react-router';
import { useStrings } from '../../../strings/strings.tsx';
import { ConversationView } from './conversation-view.tsx';
import classes from './conversations.module.css';
import { ConversationList } from './list.tsx';

/** The list of conversations, and beside it the open one. Narrow screens show one of them. */
export function View() {
  const { inbox } = useStrings();
  const { id } = useParams();
  return (
    <div className={classes.panes} data-open={id !== undefined || undefined}>
      <section className={classes.list} aria-label={inbox.views.conversations}>
        <ConversationList selected={id} />
      </section>
      <section className={classes.detail} aria-label={inbox.conversation}>
        {id ? (
          <ConversationView key={id} id={id} />
        ) : (
          <Center h="100%">
            <Text c="dimmed">{inbox.choose}</Text>
          </Center>
        )}
      </section>
    </div>
  );
}
