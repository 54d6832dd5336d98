const PREFIX = 'whsec_';

/** A form of a pasted secret. */
export interface SecretForm {
  secret: string;
  /** How the pasted text differs from this form; null for the pasted text itself. */
  fault: string | null;
}

/** The pasted secret, and the form that it was probably copied from. Always two forms, so that the cost is constant. */
export function secretForms(pasted: string): [SecretForm, SecretForm] {
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
export const secretFault = (pasted: string): string | null =>
  /^whsec_[A-Za-z0-9+/]{43}=$/.test(pasted)
    ? null
    : `A secret is ${PREFIX} and 44 characters of base64. This text has another form.`;

/** The key of `x-svc-signature`: the full text. */
export const svcKey = (secret: string): Buffer => Buffer.from(secret);

/** The key of Standard Webhooks: the decoded bytes after the prefix. */
export const standardKey = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
