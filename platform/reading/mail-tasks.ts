import EmailReplyParser from 'email-reply-parser';
import { nodes, type PageNode, parseHtml, readText } from './html-text.ts';

/** A mail as both providers report it. Everything in it was written by somebody else. */
export interface ReceivedMail {
  /** The value of the header `Message-ID`; null without one. */
  messageId: string | null;
  /** The address in the header `From`. */
  sender: string;
  senderName: string | null;
  /** All addresses to which the mail was sent. */
  recipients: string[];
  /** The reply without quotes, if the provider found it, or else the whole text. A mail with attachments alone has a fixed text. */
  text: string;
  /** Whether the text may contain quotes of earlier mails. */
  hasQuotes: boolean;
  /** The headers that mark automatic mails, by name in lower case. */
  marks: { name: string; value: string }[];
}

/** The headers that mark automatic mails. */
const MARKS = new Set([
  'auto-submitted',
  'precedence',
  'list-id',
  'return-path',
  'x-autoreply',
  'x-autorespond',
  'x-failed-recipients',
]);

/** Lets the team know of a mail that has nothing else to store. */
const ATTACHMENTS_ALONE = '(The mail has no text. Attachments are not stored.)';
/** Characters of a reply that are read. */
const MAX_TEXT = 200_000;
/** Characters of HTML that are read. */
const MAX_HTML = 1_000_000;
const MAX_RECIPIENTS = 50;

/** Work on mails of others. It runs in a thread. */
export const tasks = {
  /** The mail in the JSON of an inbound webhook of Postmark. Throws for other content. */
  postmark: (body: Uint8Array): ReceivedMail => {
    const mail: unknown = JSON.parse(new TextDecoder().decode(body));
    if (!isObject(mail)) throw new Error('The body must be an object');
    const sender = isObject(mail.FromFull) ? mail.FromFull : {};
    const headers = listOf(mail.Headers).map(({ Name, Value }) => ({ name: textOf(Name).toLowerCase(), value: textOf(Value) }));
    const recipients = [...listOf(mail.ToFull), ...listOf(mail.CcFull), ...listOf(mail.BccFull)].map(({ Email }) => textOf(Email));
    return received({
      messageId: headers.find(({ name }) => name === 'message-id')?.value ?? '',
      sender: textOf(sender.Email) || textOf(mail.From),
      senderName: textOf(sender.Name),
      recipients: [textOf(mail.OriginalRecipient), ...recipients],
      stripped: textOf(mail.StrippedTextReply),
      text: textOf(mail.TextBody),
      html: textOf(mail.HtmlBody),
      hasAttachments: listOf(mail.Attachments).length > 0,
      headers,
    });
  },
  /** The mail in the fields of a route of Mailgun. */
  mailgun: (fields: Readonly<Record<string, string>>): ReceivedMail => {
    const headers = headersOf(fields['message-headers'] ?? '');
    const from = (fields.from ?? '').slice(0, 1_000).trim();
    const start = from.endsWith('>') ? from.lastIndexOf('<') : -1;
    const address = start < 0 ? from : from.slice(start + 1, -1);
    return received({
      messageId: fields['Message-Id'] ?? headers.find((header) => header.name === 'message-id')?.value ?? '',
      sender: address || (fields.sender ?? ''),
      senderName: start < 0 ? '' : from.slice(0, start).replaceAll('"', ''),
      recipients: (fields.recipient ?? '').split(','),
      stripped: fields['stripped-text'] ?? '',
      text: fields['body-plain'] ?? '',
      html: fields['body-html'] ?? '',
      hasAttachments: Number(fields['attachment-count'] ?? 0) > 0,
      headers,
    });
  },
  cutReply: (text: string): string => new EmailReplyParser().parseReply(text).trim(),
};

interface Parts extends Pick<ReceivedMail, 'sender' | 'recipients'> {
  messageId: string;
  senderName: string;
  stripped: string;
  text: string;
  html: string;
  hasAttachments: boolean;
  headers: ReceivedMail['marks'];
}

function received({
  messageId,
  sender,
  senderName,
  recipients,
  stripped,
  text,
  html,
  hasAttachments,
  headers,
}: Parts): ReceivedMail {
  const isStripped = stripped.trim() !== '';
  const written = isStripped ? stripped : text.trim() ? text : textOfHtml(html.slice(0, MAX_HTML));
  const whole = written.trim() === '' && hasAttachments ? ATTACHMENTS_ALONE : written;
  return {
    messageId: messageId.trim().slice(0, 500) || null,
    sender: sender.trim().slice(0, 320),
    senderName: senderName.replace(/\s+/g, ' ').trim().slice(0, 255) || null,
    recipients: recipients
      .map((each) => each.trim())
      .filter((each) => each !== '' && each.length <= 320)
      .slice(0, MAX_RECIPIENTS),
    text: whole.slice(0, MAX_TEXT),
    hasQuotes: !isStripped,
    marks: headers.filter(({ name }) => MARKS.has(name)).map(({ name, value }) => ({ name, value: value.slice(0, 500) })),
  };
}

/** The lines of an HTML mail, without the mails that it quotes. */
function textOfHtml(html: string): string {
  const { root } = parseHtml(html);
  const isQuote = ({ name, attribs }: PageNode) => name === 'blockquote' || /\bgmail_quote\b/.test(attribs?.class ?? '');
  for (const node of nodes(root)) if (node.children) node.children = node.children.filter((child) => !isQuote(child));
  return readText(root, MAX_TEXT).text;
}

/** The headers in the JSON of Mailgun: a list of pairs. */
function headersOf(json: string): ReceivedMail['marks'] {
  const pairs: unknown = json === '' ? [] : JSON.parse(json);
  if (!Array.isArray(pairs)) return [];
  return pairs.flatMap((pair) => (Array.isArray(pair) ? [{ name: textOf(pair[0]).toLowerCase(), value: textOf(pair[1]) }] : []));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
