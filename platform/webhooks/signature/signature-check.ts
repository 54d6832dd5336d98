import { createHmac, timingSafeEqual } from 'node:crypto';
import { Directive, InputType, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { clock } from '../../database/index.ts';
import { field, input, list, output } from '../../fields/index.ts';
import { type BodyForm, bodyForms, type Claim, parseHeaders, standardClaim, svcClaim } from './headers.ts';

// Several subgraphs check signatures.
@Directive('@shareable')
@ObjectType({ description: 'The result of one check of a signature.' })
class SignatureCheck
  extends output({
    name: field(enumTypes.SignatureCheckName).as<Check['name']>(),
    passed: field(Boolean),
    reason: field(String, { nullable: true, description: 'Why the check failed, and what to do; null if it passed.' }),
  })
  implements Check {}

@Directive('@shareable')
@ObjectType({ description: 'The checks of one family of signature headers. A receiver needs only one family.' })
export class SignatureReport
  extends output({
    family: field(enumTypes.SignatureFamily).as<FamilyReport['family']>(),
    accepted: field(Boolean, 'Whether all checks passed, so that a correct receiver accepts the delivery.'),
    checks: list(SignatureCheck, { assumedSize: 7 }),
  })
  implements FamilyReport {}

@InputType({ description: 'A delivery as its receiver has it. Nothing of it is stored or logged.' })
export class ReceivedDelivery
  extends input({
    headers: field(String, { maxLength: 16_384, description: 'The headers, as lines of `name: value` or as a JSON object.' }),
    body: field(String, { maxLength: 100_000, description: 'The body that the receiver verified.' }),
    secret: field(String, {
      maxLength: 1_000,
      description: 'The signing secret. Send it as a variable, because texts of operations may be stored.',
    }),
    receivedAt: field(Date, { nullable: true, description: 'When the receiver got the delivery. Default: now.' }),
  })
  implements SignedRequest {}

/** A delivery as its receiver has it. */
export interface SignedRequest {
  headers: string;
  body: string;
  secret: string;
  /** Default: now. */
  receivedAt?: Date | null;
}

/** The result of one check. */
interface Check {
  name: EnumValue<'SignatureCheckName'>;
  passed: boolean;
  /** Why it failed. */
  reason: string | null;
}

/** The result for the headers of one family of signatures. */
interface FamilyReport {
  family: EnumValue<'SignatureFamily'>;
  accepted: boolean;
  checks: Check[];
}

interface Match {
  body: BodyForm;
  secret: SecretForm;
  /** Whether the id of the header was replaced by the id of the delivery. */
  isOtherId: boolean;
}

/** Seconds that the clock of a receiver may differ. */
const TOLERANCE = 300;

/**
 * Explain for both families of signatures why a receiver accepts or rejects a delivery. The function computes every combination of known
 * forms, so the time depends only on the size of the body. It stores and logs nothing.
 * @param templates sample bodies whose keys are in the order of the service
 */
export function checkSignatures(request: SignedRequest, templates: readonly unknown[]): FamilyReport[] {
  const headers = parseHeaders(request.headers);
  const bodies = bodyForms(request.body, templates);
  const secrets = secretForms(request.secret);
  const [id, deliveryId] = [headers.get('webhook-id') ?? '', headers.get('x-svc-delivery') ?? ''];
  const [svc, standard] = [svcClaim(headers), standardClaim(headers)];

  const forms = secrets.flatMap((secret) => bodies.map((body): Match => ({ body, secret, isOtherId: false })));
  const svcMatch = firstMatch(forms, svc, ({ body, secret }, timestamp) =>
    createHmac('sha256', svcKey(secret.secret)).update(`${timestamp}.${body.body}`),
  );
  const withOtherId = forms.map((form) => ({ ...form, isOtherId: true }));
  const standardMatch = firstMatch([...forms, ...withOtherId], standard, ({ body, secret, isOtherId }, timestamp) =>
    createHmac('sha256', standardKey(secret.secret)).update(`${isOtherId ? deliveryId : id}.${timestamp}.${body.body}`),
  );
  return [report('svc', svc, svcMatch, request), report('standard', standard, standardMatch, request)];
}

/** The form that makes the signature valid with the fewest changes; undefined if none does. */
function firstMatch(
  forms: Match[],
  { signatures, timestamp }: Claim,
  sign: (form: Match, timestamp: number) => { digest(): Buffer },
): Match | undefined {
  // Compute all forms, so that the time does not tell which one matched.
  const matching = forms.filter((form) => {
    const expected = sign(form, timestamp ?? 0).digest();
    return signatures.map((signature) => timingSafeEqual(signature, expected)).includes(true);
  });
  return matching[0];
}

function report(family: FamilyReport['family'], claim: Claim, match: Match | undefined, request: SignedRequest): FamilyReport {
  const isUnexplained = !match && claim.signatures.length > 0;
  const faults: [Check['name'], string | null][] = [
    ['headers', claim.headersFault],
    ['encoding', claim.encodingFault],
    ['time', timeFault(claim, request.receivedAt ?? clock.now())],
    ['secret', match ? match.secret.fault : secretFault(request.secret)],
    ['body', match?.body.fault ?? null],
    ...(family === 'standard' ? [['id', match?.isOtherId ? OTHER_ID : null] as [Check['name'], string | null]] : []),
    ['signature', signatureFault(match, isUnexplained)],
  ];
  const checks = faults.map(([name, reason]) => ({ name, passed: reason === null, reason }));
  return { family, accepted: checks.every(({ passed }) => passed), checks };
}

const OTHER_ID = 'webhook-id was replaced. It must be the id of the delivery, like x-svc-delivery.';

function signatureFault(match: Match | undefined, isUnexplained: boolean): string | null {
  if (isUnexplained)
    return 'No known mistake explains the signature. The secret belongs to another subscription, or the body or timestamp was changed.';
  if (!match) return 'There is no readable signature.';
  const isExact = match.body.fault === null && match.secret.fault === null && !match.isOtherId;
  return isExact ? null : 'The signature matches only after correcting the failed checks above.';
}

function timeFault({ timestamp, headersFault }: Claim, receivedAt: Date): string | null {
  if (timestamp === null) return headersFault ? 'There is no readable timestamp.' : 'The timestamp must be in Unix seconds.';
  const now = Math.floor(receivedAt.getTime() / 1_000);
  const age = now - timestamp;
  if (Math.abs(age) <= TOLERANCE) return null;
  if (Math.abs(now - timestamp / 1_000) <= 10 * 365 * 86_400 && timestamp > 1e11)
    return 'The timestamp is in milliseconds, but must be in Unix seconds.';
  const side = age > 0 ? `${age} s before` : `${-age} s after`;
  return `The timestamp is ${side} the time of receipt. Receivers accept ${TOLERANCE} s; check the clock, and verify on arrival.`;
}

const PREFIX = 'whsec_';

/** A form of a pasted secret. */
interface SecretForm {
  secret: string;
  /** How the pasted text differs from this form; null for the pasted text itself. */
  fault: string | null;
}

/** The pasted secret, and the form that it was probably copied from. Always two forms, so that the cost is constant. */
function secretForms(pasted: string): [SecretForm, SecretForm] {
  const bare = pasted.trim().replace(/^(["'])(.*)\1$/, '$2');
  const plain = bare.replace(/%2B/gi, '+').replace(/%2F/gi, '/').replace(/%3D/gi, '=');
  const encoded = (plain.startsWith(PREFIX) ? plain.slice(PREFIX.length) : plain).replaceAll('-', '+').replaceAll('_', '/');
  const secret = PREFIX + (/^[A-Za-z0-9+/]{43}$/.test(encoded) ? `${encoded}=` : encoded);
  return [
    { secret: pasted, fault: null },
    { secret, fault: secret === pasted ? null : faultOf(pasted, bare, plain) },
  ];
}

function faultOf(pasted: string, bare: string, plain: string): string {
  if (bare !== pasted) return 'The secret has whitespace or quotes around it.';
  if (plain !== bare) return 'The secret is percent-encoded.';
  if (!plain.startsWith(PREFIX)) return `The secret lacks its prefix ${PREFIX}.`;
  return 'The secret is in another base64 alphabet, or lacks its padding.';
}

/** Why a text cannot be a signing secret of this service; null if it can. */
const secretFault = (pasted: string): string | null =>
  /^whsec_[A-Za-z0-9+/]{43}=$/.test(pasted)
    ? null
    : `A secret is ${PREFIX} and 44 characters of base64. This text has another form.`;

/** The key of `x-svc-signature`: the full text. */
const svcKey = (secret: string): Buffer => Buffer.from(secret);

/** The key of Standard Webhooks: the decoded bytes after the prefix. */
const standardKey = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
