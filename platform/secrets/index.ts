/** Encrypts secrets with keys that rotate, and compares them in constant time. */
export { resealCanary } from './canary.ts';
export { resealColumn } from './reseal.ts';
export { isSecret } from './same-secret.ts';
export { type SecretName, Secrets } from './secrets.ts';
