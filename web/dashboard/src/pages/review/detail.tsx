import { Badge, Button, Group, Kbd, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { isComposing } from '../../../../shared/composing.ts';
import { Action, Note, PageLink } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type Definition, useDefinitions } from '../../values/definitions.ts';
import { type Content, formatValue } from '../../values/format.ts';
import { Confidence, Origin } from '../../values/origin.tsx';
import { LimitWarning, useLimitCheck, ValueField } from '../../values/value-field.tsx';
import classes from './review.module.css';
import type { Proposal } from './review-queue.ts';

interface Props {
  proposal: Proposal;
  editing: boolean;
  /** The value that is edited. */
  draft: Content;
  onDraft(value: Content): void;
  onCancel(): void;
  onSave(): void;
  onDecide(verdict: 'accept' | 'reject'): void;
}

/** One value beside the one that it replaced, with the evidence and the decision. */
export function Detail(props: Props) {
  const { proposal, editing, onDraft, onDecide } = props;
  const strings = useStrings();
  const { review, jobs, terms, actions, formats } = strings;
  const { proposed, base, current, product, provenance, job, confidence } = proposal;
  const attribute = useDefinitions().get(proposal.slug);
  const name = attribute?.name ?? proposed.attributeName;
  const textOf = (value: typeof base) =>
    value ? formatValue(value.value, value.attributeType, strings, attribute) : strings.values.none;
  const isChanged = JSON.stringify(current?.value ?? null) !== JSON.stringify(proposed.value ?? null);
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack>
        <Group justify="space-between">
          <div>
            <Title order={2} size="h4">
              {name}
            </Title>
            {product && <PageLink to={`products/${product.id}`} label={`${product.name} (${product.sku})`} />}
          </div>
          <Group gap="xs">
            {provenance?.isNew && <Badge color="grape">{review.isNew}</Badge>}
            <Confidence value={confidence} />
          </Group>
        </Group>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Side label={terms.before} text={textOf(base)} />
          <Side label={review.after} text={textOf(proposed)} isNew />
        </SimpleGrid>
        {isChanged && <Text>{review.changed(textOf(current))}</Text>}
        {editing ? (
          <Edit {...props} attribute={attribute} />
        ) : (
          <Group>
            <Action label={actions.accept} onClick={() => onDecide('accept')} icon={IconCheck} rightSection={<Key name="A" />} />
            <Action
              label={actions.edit}
              variant="default"
              onClick={() => onDraft(proposed.value)}
              icon={IconPencil}
              rightSection={<Key name="E" />}
            />
            <Action
              label={review.reject}
              variant="light"
              color="red"
              onClick={() => onDecide('reject')}
              icon={IconX}
              rightSection={<Key name="R" />}
            />
          </Group>
        )}
        <div>
          <Text fw={500} mb={4}>
            {review.evidence}
          </Text>
          {provenance ? <Origin {...provenance} /> : <Text>{review.noEvidence}</Text>}
          {provenance?.evidence && <Text mt={4}>{review.evidences[provenance.evidence]}</Text>}
        </div>
        <Note size="xs">{`${jobs.kinds[job.kind]}, ${formats.time(job.createdAt)}`}</Note>
        <Note size="xs" visibleFrom="md">
          {review.keys}
        </Note>
      </Stack>
    </Paper>
  );
}

const Key = ({ name }: { name: string }) => (
  <Kbd size="xs" visibleFrom="md" aria-hidden>
    {name}
  </Kbd>
);

const Side = ({ label, text, isNew }: { label: string; text: string; isNew?: boolean }) => (
  <div>
    <Note size="xs" mb={4}>
      {label}
    </Note>
    <div className={classes.value} data-new={isNew || undefined}>
      {text}
    </div>
  </div>
);

interface EditProps extends Props {
  attribute?: Definition;
}

function Edit({ proposal, attribute, draft, onDraft, onCancel, onSave }: EditProps) {
  const { actions, values } = useStrings();
  const { attributeName, attributeType: type } = proposal.proposed;
  const { mayStore, warningOf } = useLimitCheck();
  const warning = warningOf(draft);
  async function save(event: FormEvent) {
    event.preventDefault();
    if (await mayStore(proposal.slug, type, draft)) onSave();
  }
  return (
    <form onSubmit={save} onKeyDown={(event) => event.key === 'Escape' && !isComposing(event.nativeEvent) && onCancel()}>
      <Stack gap="sm">
        <ValueField definition={{ name: attributeName, ...attribute, type }} value={draft} onChange={onDraft} autoFocus />
        <LimitWarning message={warning} />
        <Group>
          <Button type="submit">{warning === null ? actions.save : values.saveAnyway}</Button>
          <Action label={actions.cancel} variant="default" onClick={onCancel} />
        </Group>
      </Stack>
    </form>
  );
}
