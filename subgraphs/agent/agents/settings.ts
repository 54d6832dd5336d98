import { fail } from '../../../schema/errors.ts';
import { withDefaults } from '../null-defaults.ts';
import { Agent } from './entity.ts';
import type { AgentChange } from './types.ts';

/** Replaces each null by its default. Throws `INVALID_INPUT` for faults that types and declared limits do not catch. */
export function readSettings({ name, ...settings }: AgentChange): Partial<Agent> {
  if (name === null) refuse('name must not be null');
  for (const [index, origin] of (settings.allowedOrigins ?? []).entries()) {
    if (!isOrigin(origin)) refuse(`allowedOrigins[${index}] must be an origin such as https://shop.example.com`);
  }
  for (const key of ['theme', 'branding'] as const) {
    if (JSON.stringify(settings[key] ?? {}).length > 20_000) refuse(`${key} must be at most 20000 characters of JSON`);
  }
  return withDefaults({ name, ...settings }, new Agent());
}

/** Browsers send origins in this normalized form, and origins are compared as text. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

function refuse(fault: string): never {
  throw fail('INVALID_INPUT', fault);
}
