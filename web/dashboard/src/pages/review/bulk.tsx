import { Group, Select, Slider, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChecks } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { Modal } from '../../parts/dialog.tsx';
import { Action } from '../../parts/elements.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { Outdated } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { type Filter, useReviewMatching } from './review-queue.ts';

const MATCHING = graphql(
  `query CountMatching($filter: ReviewFilter) { reviewQueue(filter: $filter, limit: 1) { pagination { total } } }`,
);
const ATTRIBUTES = graphql(`query BulkAttributes { attributes(subject: product) { id slug name } }`);

interface BulkProps {
  filter: Filter;
  /** The number of open values. */
  total: number;
  /** Whether a decision about a single value is being saved. It must be stored before the rest is counted and accepted. */
  isDeciding: boolean;
}

/** Accepts all values above a confidence at once. */
export function Bulk({ filter, total, isDeciding }: BulkProps) {
  const { review } = useStrings();
  const [opened, setOpened] = useState(false);
  if (total === 0) return null;
  return (
    <>
      <Action label={review.bulk} variant="default" onClick={() => setOpened(true)} icon={IconChecks} />
      {opened && <BulkDialog filter={filter} isDeciding={isDeciding} onClose={() => setOpened(false)} />}
    </>
  );
}

function BulkDialog({ filter, isDeciding, onClose }: Omit<BulkProps, 'total'> & { onClose(): void }) {
  const { actions, review } = useStrings();
  const formats = useFormats();
  const [confidence, setConfidence] = useState(90);
  const [attribute, setAttribute] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(0);
  const chosen = useMemo(
    () => ({ ...filter, confidenceFrom: confidence, attribute: attribute ?? undefined }),
    [filter, confidence, attribute],
  );
  const [counted] = useDebouncedValue(chosen, 250);
  const [{ data, error, fetching, stale }, read] = useQuery({
    query: MATCHING,
    variables: { filter: counted },
    pause: isDeciding,
  });
  const [{ data: definitions }] = useQuery({ query: ATTRIBUTES });
  const reviewMatching = useReviewMatching();
  const count = data?.reviewQueue.pagination.total ?? 0;

  const isCounted = counted === chosen && !isDeciding && !fetching && !stale && !error;
  // Closing the dialog in any way stops before the next batch.
  const [closed] = useState(() => new AbortController());
  useEffect(() => () => closed.abort(), [closed]);

  async function accept() {
    setBusy(true);
    const { decided, failed } = await reviewMatching(chosen, 'accept', closed.signal, setDone);
    if (failed) return setBusy(false);
    showDone(review.accepted(decided, formats.number(decided)));
    if (!closed.signal.aborted) onClose();
  }
  return (
    <Modal onClose={onClose} title={review.bulk}>
      <Stack>
        <div>
          <Text size="sm" fw={500} id="bulk-confidence">
            {review.from(formats.percent(confidence / 100))}
          </Text>
          <Slider
            value={confidence}
            onChange={setConfidence}
            label={null}
            thumbLabel={review.from(formats.percent(confidence / 100))}
            data-autofocus
          />
        </div>
        <Select
          label={review.attribute}
          placeholder={review.allAttributes}
          data={definitions?.attributes.map(({ slug, name }) => ({ value: slug, label: name })) ?? []}
          value={attribute}
          onChange={setAttribute}
          clearable
          searchable
        />
        {error && <Outdated error={error} retry={() => read({ requestPolicy: 'network-only' })} />}
        <Text size="sm" role="status">
          {busy ? review.accepted(done, formats.number(done)) : data && review.matching(count, formats.number(count))}
        </Text>
        <Group justify="flex-end">
          <Action label={actions.cancel} variant="default" onClick={onClose} />
          <Action label={review.acceptAll} onClick={accept} loading={busy} disabled={count === 0 || !(isCounted || busy)} />
        </Group>
      </Stack>
    </Modal>
  );
}
