/** Encrypts secrets with keys that rotate, and compares them in constant time. */
export { resealCanary, resealColumn } from './reseal.ts';
export { isSecret, type SecretName, Secrets } from './secrets.ts';
