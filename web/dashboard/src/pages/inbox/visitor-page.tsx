import { Note } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';
import classes from './conversations.module.css';
import type { Conversation } from './handoff.tsx';

/** The page on which the visitor wrote, as text: a visitor can change what a page says about itself, also into a link. */
export function VisitorPage({ conversation: { pageContext } }: { conversation: Conversation }) {
  const { inbox } = useStrings();
  const entries = Object.entries((pageContext ?? {}) as Record<string, unknown>);
  if (entries.length === 0) return null;
  return (
    <section className={classes.page} aria-label={inbox.page} title={inbox.pageHelp}>
      <Note size="xs">{inbox.page}</Note>
      <dl>
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd dir="auto">{String(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
