import { Group, Switch, Text } from '@mantine/core';
import type { EmptyCells, FoundItemsQuery, ImportMatch, ImportMode, OverwriteMode } from '../../../.graph/graphql.ts';
import { Choice } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';

/** How an import treats products that exist. */
export interface UpdateChoice {
  mode: ImportMode;
  matchBy: ImportMatch;
  emptyCells: EmptyCells;
  overwrite: OverwriteMode;
}

export const CREATE_ONLY: UpdateChoice = { mode: 'create', matchBy: 'sku', emptyCells: 'leave', overwrite: 'unreviewed' };

interface Props {
  options: UpdateChoice;
  onChange(options: UpdateChoice): void;
}

/** The choice whether the found products are new, change existing ones, or both. */
export function ExistingProducts({ options, onChange }: Props) {
  const { imports } = useStrings();
  const change = (changes: Partial<UpdateChoice>) => onChange({ ...options, ...changes });
  return (
    <Group gap="sm" align="end">
      <Choice label={imports.mode} labels={imports.modes} value={options.mode} onChange={(mode) => change({ mode })} />
      {options.mode !== 'create' && (
        <>
          <Choice
            label={imports.matchBy}
            labels={imports.matches}
            value={options.matchBy}
            onChange={(matchBy) => change({ matchBy })}
          />
          <Switch
            label={imports.clearEmpty}
            checked={options.emptyCells === 'clear'}
            onChange={({ currentTarget }) => change({ emptyCells: currentTarget.checked ? 'clear' : 'leave' })}
          />
          <Switch
            label={imports.replaceReviewed}
            checked={options.overwrite === 'all'}
            onChange={({ currentTarget }) => change({ overwrite: currentTarget.checked ? 'all' : 'unreviewed' })}
          />
        </>
      )}
    </Group>
  );
}

type Differences = FoundItemsQuery['importItems']['nodes'][number]['differences'];

/** The changes that an item makes to its product, before they are written. */
export function Changes({ differences }: { differences?: Differences }) {
  const strings = useStrings();
  const { imports, products, terms } = strings;
  const definitions = useDefinitions();
  if (!differences) return <Text>{products.new}</Text>;
  if (differences.length === 0) return <Text>{terms.noChanges}</Text>;
  const lines = differences.map(({ field, label, before, after, isProtected }) => {
    const definition = field === label ? undefined : definitions.get(field);
    const name = field === label ? (products[field as 'name'] ?? label) : (definition?.name ?? label);
    const textOf = (value: unknown) => formatValue(value as string, definition?.type ?? 'text', strings, definition);
    return isProtected ? imports.protectedChange(name, textOf(before)) : terms.changeOf(name, textOf(before), textOf(after));
  });
  return (
    <Text truncate title={lines.join('\n')} maw={360}>
      {lines.join('; ')}
    </Text>
  );
}
