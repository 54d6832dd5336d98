/** Outgoing mail by SMTP, which is stored in the transaction of its cause and survives restarts, and the signed addresses of replies to it. */
export { isSignedFor, refusalOf, replyAddressOf, ticketOf, useSignature } from './inbound.ts';
export { type Mailer, startMailer } from './mailer.ts';
export { dropMailsOf, enqueueMail, type MailSettings, type MailState, mailsOf, sweepMails } from './outgoing.ts';
