import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface Delivered {
  to: string[];
  /** The whole message with its headers. */
  raw: string;
}

/** A real SMTP server on loopback. `before` may delay or reject a mail. */
export async function openSmtp(before: (mail: Delivered) => Promise<void> = async () => {}) {
  const mails: Delivered[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const read = async () => {
        const raw = await text(stream);
        const mail = { to: session.envelope.rcptTo.map(({ address }) => address), raw };
        mails.push(mail);
        await before(mail);
      };
      read().then(() => done(), done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The value of a header, without line folding. */
export const headerOf = ({ raw }: Delivered, name: string): string =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(raw)?.[1]?.replace(/\r\n\s+/g, ' ') ?? '';
