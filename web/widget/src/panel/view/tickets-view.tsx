import { useEffect, useRef, useState } from 'preact/hooks';
import type { Strings } from '../../strings/en.ts';
import { useCountdown, usePanel } from './hooks.ts';

/** A ticket as `GET /tickets` returns it. */
interface Ticket {
  ticketNumber: string;
  subject: string;
  status: keyof Strings['tickets']['states'];
  createdAt: string;
  lastActivityAt: string;
  messages: { id: string; isFromTeam: boolean; authorName: string; text: string; createdAt: string }[];
}

/** Characters of a reply that the service accepts. */
const MAX_LENGTH = 20_000;

/** The tickets of the visitor, or one of them, in place of the messages. */
export function TicketsView({ onDone }: { onDone(): void }) {
  const { conversation, strings } = usePanel();
  const [tickets, setTickets] = useState<Ticket[]>();
  const [fault, setFault] = useState<ReturnType<typeof conversation.noticeOf>>();
  const [chosen, setChosen] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const load = () => {
    setFault(undefined);
    return conversation.endpoint.json<{ tickets: Ticket[] }>('tickets').then(
      (read) => setTickets(read.tickets),
      (error: unknown) => setFault({ ...conversation.noticeOf(error), text: strings.tickets.failed }),
    );
  };
  useEffect(() => void load(), []);
  useEffect(() => heading.current?.focus(), [chosen]);

  const ticket = tickets?.find(({ ticketNumber }) => ticketNumber === chosen);
  const back = ticket ? () => setChosen(undefined) : onDone;
  return (
    <section class="form tickets scroll" aria-labelledby="tickets-title">
      <h3 ref={heading} id="tickets-title" tabIndex={-1} dir="auto">
        {ticket ? ticket.subject : strings.tickets.title}
      </h3>
      {ticket && <TicketView key={ticket.ticketNumber} ticket={ticket} onSent={load} />}
      {!ticket && !tickets && !fault && <p>{strings.loading}</p>}
      {!ticket && tickets?.length === 0 && <p>{strings.tickets.none}</p>}
      {!ticket && tickets && (
        <ul>
          {tickets.map(({ ticketNumber, subject, status, lastActivityAt }) => (
            <li key={ticketNumber}>
              <button type="button" class="secondary" onClick={() => setChosen(ticketNumber)}>
                <strong dir="auto">{subject}</strong>
                <small>
                  {ticketNumber} · {strings.tickets.states[status]} · <Time iso={lastActivityAt} />
                </small>
              </button>
            </li>
          ))}
        </ul>
      )}
      {fault && (
        <p class="fault" role="alert">
          {fault.text}{' '}
          <button type="button" class="plain" onClick={() => void load()}>
            {strings.error.retry}
          </button>
        </p>
      )}
      <div class="actions">
        <button type="button" class="secondary" onClick={back}>
          {ticket ? strings.tickets.back : strings.form.back}
        </button>
      </div>
    </section>
  );
}

/** The replies of both sides on one ticket, and the input of the visitor. */
function TicketView({ ticket, onSent }: { ticket: Ticket; onSent(): Promise<void> }) {
  const { conversation, strings } = usePanel();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<ReturnType<typeof conversation.noticeOf>>();
  const [isSending, setIsSending] = useState(false);
  const seconds = useCountdown(fault?.waitUntil);
  const { ticketNumber, status, messages } = ticket;
  const isRefused = isSending || seconds > 0 || text.trim() === '';
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRefused) return;
    setIsSending(true);
    setFault(undefined);
    try {
      await conversation.endpoint.submit(`tickets/${encodeURIComponent(ticketNumber)}/replies`, { text: text.trim() });
      setText('');
      await onSent();
    } catch (error) {
      setFault(conversation.noticeOf(error));
    } finally {
      setIsSending(false);
    }
  };
  return (
    <>
      <p>
        <small>
          {ticketNumber} · {strings.tickets.states[status]}
        </small>
      </p>
      {messages.length === 0 && <p>{strings.tickets.unanswered}</p>}
      <ol aria-label={strings.messages}>
        {messages.map(({ id, isFromTeam, authorName, text: said, createdAt }) => (
          <li key={id}>
            <small>
              {isFromTeam ? authorName : strings.you} · <Time iso={createdAt} />
            </small>
            <p dir="auto">{said}</p>
          </li>
        ))}
      </ol>
      {status !== 'cancelled' && (
        <form onSubmit={(event) => void submit(event)}>
          <textarea
            rows={3}
            dir="auto"
            maxLength={MAX_LENGTH}
            aria-label={strings.tickets.reply}
            placeholder={strings.tickets.reply}
            value={text}
            readOnly={isSending}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          {fault && (
            <p class="fault" role="alert">
              {seconds > 0 ? strings.error.tooMany(seconds) : fault.text}
            </p>
          )}
          <button type="submit" class="primary" aria-disabled={isRefused}>
            {strings.tickets.send}
          </button>
        </form>
      )}
    </>
  );
}

function Time({ iso }: { iso: string }) {
  const { conversation } = usePanel();
  const format = new Intl.DateTimeFormat(conversation.context.language, { dateStyle: 'medium', timeStyle: 'short' });
  return <time dateTime={iso}>{format.format(new Date(iso))}</time>;
}
