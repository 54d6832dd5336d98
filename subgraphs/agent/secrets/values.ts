import { readRows } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { SecretName } from '../../../platform/secrets/index.ts';
import { ToolFault } from '../tools/templates.ts';
import { Secret } from './entity.ts';

/** The name under which the value of a secret is sealed. */
export const secretName = ({ organizationId, id }: { organizationId: string; id: string }): SecretName => ({
  organizationId,
  name: `secret/${id}`,
});

const COLUMNS = ['id', 'organizationId', 'name', 'sealed'] as const;

/** Decrypt the secrets of these names. Names that do not exist are missing in the result. Throws `ToolFault` if a key is lost. */
export async function openSecrets(scope: Scope, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await readRows(scope, Secret, { columns: COLUMNS, where: { name: names } });
  const { secrets } = scope.services;
  return new Map(
    rows.map((row) => {
      if (!secrets.canOpen(row.sealed)) throw new ToolFault(`The secret ${row.name} cannot be decrypted. Replace its value.`);
      return [row.name, secrets.open(row.sealed, secretName(row))];
    }),
  );
}
