import { connect } from 'node:net';
import { until } from '../support/until.ts';
import type { Sent } from './files.ts';

const BOUNDARY = 'b';

/** The first bytes of a form: a file without the final boundary. `naming` contains its name parameters. */
export const opening = ({ name, type, content }: Sent, naming = `filename="${name}"`) =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; ${naming}\r\nContent-Type: ${type}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);

export const form = (file: Sent, naming?: string) => Buffer.concat([opening(file, naming), Buffer.from(`--${BOUNDARY}--\r\n`)]);

interface Manner {
  contentType?: string;
  /** Declared content length. */
  length?: number;
  /** Destroys the connection after the bytes, or when this resolves. */
  leaves?: true | (() => Promise<boolean>);
}

interface Target {
  organization: { slug: string; key: string };
  url?: string;
}

/** Upload raw bytes. Returns status and body, or undefined if the connection closed before a response. */
export function sendRaw({ organization: { slug, key }, url = process.env.TEST_URL! }: Target, bytes: Buffer, manner: Manner = {}) {
  const { contentType = `multipart/form-data; boundary=${BOUNDARY}`, length = bytes.length, leaves } = manner;
  const { hostname, port } = new URL(url);
  return new Promise<{ status: number; body: unknown } | undefined>((resolve, reject) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port) })
      .setEncoding('utf8')
      .on('data', (part: string) => {
        text += part;
        // A balancer keeps the connection open for the rest of the body.
        if (isComplete(text)) socket.destroy();
      })
      .on('error', reject)
      .on('close', () =>
        resolve(text === '' ? undefined : { status: Number(text.slice(9, 12)), body: JSON.parse(text.split('\r\n\r\n')[1]!) }),
      );
    socket.write(
      `POST /api/${slug}/enrichment-files/upload HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\nconnection: close\r\n` +
        `content-type: ${contentType}\r\ncontent-length: ${length}\r\n\r\n`,
    );
    socket.write(bytes, async () => {
      if (!leaves) return;
      if (leaves !== true) await until(leaves);
      socket.destroy();
    });
  });
}

/** Whether a response has arrived to its end. */
function isComplete(text: string): boolean {
  const [head, ...rest] = text.split('\r\n\r\n');
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head!) ?? [];
  return length !== undefined && Buffer.byteLength(rest.join('\r\n\r\n')) >= Number(length);
}
