import { cleanAll } from '../../../platform/reading/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { ImportValue } from './data.ts';

/** Sanitizes the HTML of values that cells state. Throws `INVALID_INPUT` for HTML that cannot be read within the limits. */
export async function cleanValues({ organizationId }: Scope, values: readonly ImportValue[]): Promise<void> {
  const html = values.filter(({ attributeType }) => attributeType === 'html');
  const cleaned = await cleanAll(
    organizationId,
    html.map(({ value }) => value as string),
  );
  for (const [at, value] of html.entries()) value.value = cleaned[at]!;
}
