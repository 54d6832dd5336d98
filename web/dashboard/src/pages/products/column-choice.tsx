import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Action, Note } from '../../parts/elements.tsx';
import { Modal } from '../../parts/forms-and-dialogs.tsx';
import { moved, SortableList } from '../../parts/sortable-list.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { attributeKey, columnKeys, columnSlugs, columnText, FIELDS, MAX_ATTRIBUTES, useColumnNames } from './list-columns.tsx';

interface Props {
  /** The columns as the address has them. */
  chosen: string;
  /** The reason to choose some. */
  text?: string;
  onChange(text: string): void;
  onClose(): void;
}

/** Adds columns to the list, removes and sorts them. Each change shows at once. */
export function ColumnChoice({ chosen, text, onChange, onClose }: Props) {
  const { actions, productViews: words, terms, pages } = useStrings();
  const definitions = useDefinitions();
  const nameOf = useColumnNames();
  const keys = columnKeys(chosen);
  const change = (next: readonly string[]) => onChange(columnText(next));
  const isFull = columnSlugs(keys).length >= MAX_ATTRIBUTES;
  const others = (all: readonly string[]) =>
    all.filter((key) => !keys.includes(key)).map((value) => ({ value, label: nameOf(value) }));
  const attributes = [...definitions.values()].filter(({ isActive }) => isActive).map(({ slug }) => attributeKey(slug));
  const choices = [
    { group: terms.fields, items: others(FIELDS) },
    { group: pages.attributes, items: isFull ? [] : others(attributes) },
  ].filter(({ items }) => items.length > 0);
  return (
    <Modal title={terms.columns} onClose={onClose}>
      <Stack>
        {text && <Note>{text}</Note>}
        <Select
          // Another key after each choice, so that the field is empty again.
          key={chosen}
          label={words.addColumn}
          data={choices}
          value={null}
          onChange={(key) => key && change([...keys, key])}
          searchable
          data-autofocus
        />
        {isFull && <Note>{words.mostAttributes(MAX_ATTRIBUTES)}</Note>}
        <Note>{words.nameFirst}</Note>
        <SortableList label={terms.columns} keys={keys} nameOf={nameOf} onMove={(from, to) => change(moved(keys, from, to))}>
          {(key) => (
            <Group justify="space-between" wrap="nowrap" flex={1} miw={0}>
              <Text truncate>{nameOf(key)}</Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={actions.removeOf(nameOf(key))}
                onClick={() => change(keys.filter((each) => each !== key))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Group>
          )}
        </SortableList>
        <Group justify="space-between">
          <Action label={words.usualColumns} variant="subtle" disabled={chosen === ''} onClick={() => onChange('')} />
          <Action label={actions.close} variant="default" onClick={onClose} />
        </Group>
      </Stack>
    </Modal>
  );
}
