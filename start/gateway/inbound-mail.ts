import { createHmac } from 'node:crypto';
import multipart from '@fastify/multipart';
import type { Source } from 'compiled-gateway';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parse } from 'graphql';
import type { ReceivedMail } from '../../platform/reading/mail-tasks.ts';
import { readMail } from '../../platform/reading/reading.ts';
import { isSecret } from '../../platform/secrets/index.ts';
import { codeOf, fail } from '../../schema/errors.ts';
import { AnswerBudget } from '../../schema/limits.ts';
import { httpError } from '../../server/failure.ts';
import { lifetimeOf } from '../../server/lifetime.ts';

/** Largest mail with its attachments, which are not read. */
const MAX_MAIL = 48 * 1024 * 1024;
/** Bytes of a form of Mailgun without attachments, and of a field of each. */
const [MAX_FORM, MAX_FIELD, MAX_FIELDS] = [4 * 1024 * 1024, 1024 * 1024, 100];
const [TIMEOUT_MS, ANSWER_BYTES] = [60_000, 64 * 1024];
/**
 * Seconds that a signature of Mailgun is valid. Mailgun repeats a request for eight hours. The signature does not cover the mail, so that one
 * which leaks must not be valid without end. It is accepted for one mail.
 */
const [MAX_AGE, MAX_AHEAD] = [9 * 60 * 60, 5 * 60];
/** The owner of all such work in the threads. Providers are no organizations. */
const OWNER = 'inbound mail';

const text = `mutation (
  $messageId: String, $sender: String!, $senderName: String, $recipients: [String!]!, $text: String!, $hasQuotes: Boolean!, $marks: [String!]!,
  $signature: String
) {
  receiveMail(
    messageId: $messageId, sender: $sender, senderName: $senderName, recipients: $recipients, text: $text, hasQuotes: $hasQuotes, marks: $marks,
    signature: $signature
  ) { outcome reason }
}`;
const document = parse(text);

/**
 * Receives replies to mails from the inbound webhooks of Postmark and Mailgun, in their documented formats. A mail that is ignored is answered
 * like one that is stored, so that the provider does not repeat it.
 * @param secret the password of Postmark's URL, and the signing key of Mailgun
 */
export async function inboundMailRoutes(app: FastifyInstance, { agent, secret }: { agent: Source; secret: string }): Promise<void> {
  app.removeAllContentTypeParsers();
  const limits = { fields: MAX_FIELDS, fieldSize: MAX_FIELD, fieldNameSize: 200, fileSize: Number.POSITIVE_INFINITY };
  await app.register(multipart, { limits });
  app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: MAX_MAIL }, (_, body, done) => done(null, body));
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: MAX_FORM }, (_, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  );

  async function store(request: FastifyRequest, reply: FastifyReply, mail: ReceivedMail, signature: string | null = null) {
    const lifetime = lifetimeOf(reply.raw, TIMEOUT_MS);
    const context = {
      headers: { 'x-client-address': request.ip },
      owner: OWNER,
      signal: lifetime.signal,
      budget: new AnswerBudget(ANSWER_BYTES),
    };
    const variables = { ...mail, marks: mail.marks.map(({ name, value }) => `${name}: ${value}`), signature };
    const executing = Promise.resolve(agent.execute({ document, text, variables, context, isUnique: true }));
    const { data, errors } = await lifetime.within(executing);
    if (!errors?.length && data?.receiveMail) return reply.send(data.receiveMail);
    const code = errors?.[0] && codeOf(errors[0]);
    if (code === 'FORBIDDEN') throw httpError(401, 'Invalid signature');
    const isLimited = code === 'RATE_LIMITED';
    throw fail(isLimited ? 'RATE_LIMITED' : 'UNAVAILABLE', 'The mail cannot be stored at the moment.');
  }

  app.post<{ Body: Buffer }>('/mail/postmark', {
    bodyLimit: MAX_MAIL,
    // Before the body is read.
    onRequest: async ({ headers }) => {
      const [, credentials = ''] = /^Basic +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
      const decoded = Buffer.from(credentials, 'base64').toString();
      if (!isSecret(secret, decoded.slice(decoded.indexOf(':') + 1))) throw httpError(401, 'Invalid credentials');
    },
    handler: async (request, reply) => {
      if (!Buffer.isBuffer(request.body)) throw httpError(400, 'The body must be JSON');
      const mail = await readMail(OWNER, 'postmark', request.body).catch(() => {
        throw httpError(400, 'The body is no mail');
      });
      return store(request, reply, mail);
    },
  });

  app.post<{ Body: Record<string, string> | undefined }>('/mail/mailgun', async (request, reply) => {
    const fields = request.isMultipart() ? await fieldsOf(request) : (request.body ?? {});
    const { timestamp = '', token = '', signature = '' } = fields;
    const expected = createHmac('sha256', secret)
      .update(timestamp + token)
      .digest('hex');
    if (!token || !isRecent(timestamp) || !isSecret(expected, signature)) throw httpError(401, 'Invalid signature');
    const mail = await readMail(OWNER, 'mailgun', fields).catch(() => {
      // Mailgun does not repeat a request after this status.
      throw httpError(406, 'The form is no mail');
    });
    return store(request, reply, mail, timestamp + token);
  });
}

/** Whether a time in seconds is valid as that of a signature. */
function isRecent(timestamp: string): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const age = Date.now() / 1_000 - Number(timestamp);
  return age <= MAX_AGE && age >= -MAX_AHEAD;
}

/** The fields of a form. Its files are read and dropped. */
async function fieldsOf(request: FastifyRequest): Promise<Record<string, string>> {
  const fields: Record<string, string> = Object.create(null);
  let bytes = 0;
  const count = ({ length }: Buffer | string) => {
    bytes += length;
    if (bytes > MAX_MAIL) throw httpError(413, 'The mail is too large');
  };
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') for await (const chunk of part.file) count(chunk);
      else if (typeof part.value === 'string') {
        count(part.value);
        fields[part.fieldname] ??= part.value;
      }
    }
  } catch (error) {
    throw (error as FastifyError).statusCode ? error : httpError(400, 'The form could not be read completely');
  }
  return { ...fields };
}
