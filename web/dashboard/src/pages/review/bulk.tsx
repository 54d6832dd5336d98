import { Group, Select, Slider, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChecks, IconX } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Action } from '../../parts/elements.tsx';
import { Modal } from '../../parts/forms-and-dialogs.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { Outdated } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { type Decided, type Filter, useReviewMatching } from './review-queue.ts';

const MATCHING = graphql(
  `query CountMatching($filter: ReviewFilter) { reviewQueue(filter: $filter, limit: 1) { pagination { total } } }`,
);

interface BulkProps {
  filter: Filter;
  /** The number of open values. */
  total: number;
  /** Whether a decision about a single value is being saved. It must be stored before the rest is counted and decided. */
  isDeciding: boolean;
  onDecided(values: Decided): void;
}

type Verdict = 'accept' | 'reject';

/** Accepts all values above a confidence at once, or rejects all below one. */
export function Bulk({ total, ...props }: BulkProps) {
  const { review } = useStrings();
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  if (total === 0) return null;
  return (
    <>
      <Action label={review.bulk} variant="default" onClick={() => setVerdict('accept')} icon={IconChecks} />
      <Action label={review.bulkReject} variant="default" onClick={() => setVerdict('reject')} icon={IconX} />
      {verdict && <BulkDialog {...props} verdict={verdict} onClose={() => setVerdict(null)} />}
    </>
  );
}

interface DialogProps extends Omit<BulkProps, 'total'> {
  verdict: Verdict;
  onClose(): void;
}

function BulkDialog({ filter, isDeciding, onDecided, verdict, onClose }: DialogProps) {
  const { actions, review, pages, terms, formats } = useStrings();
  const isAccepting = verdict === 'accept';
  const [confidence, setConfidence] = useState(isAccepting ? 90 : 50);
  const [attribute, setAttribute] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(0);
  const chosen = useMemo(
    () => ({
      ...filter,
      [isAccepting ? 'confidenceFrom' : 'confidenceBelow']: confidence,
      ...(attribute && { attribute }),
    }),
    [filter, isAccepting, confidence, attribute],
  );
  const [counted] = useDebouncedValue(chosen, 250);
  const [{ data, error, fetching, stale }, read] = useQuery({
    query: MATCHING,
    variables: { filter: counted },
    pause: isDeciding,
  });
  const definitions = useDefinitions();
  const reviewMatching = useReviewMatching();
  const count = data?.reviewQueue.pagination.total ?? 0;

  const isCounted = counted === chosen && !isDeciding && !fetching && !stale && !error;
  // Closing the dialog in any way stops before the next batch.
  const [closed] = useState(() => new AbortController());
  useEffect(() => () => closed.abort(), [closed]);

  const textOf = isAccepting ? review.accepted : review.rejected;
  const threshold = (isAccepting ? review.from : review.below)(formats.percent(confidence / 100));
  async function decide() {
    setBusy(true);
    const { decided, failed } = await reviewMatching(chosen, verdict, closed.signal, setDone);
    onDecided(decided);
    if (failed) return setBusy(false);
    showDone(textOf(decided.length, formats.number(decided.length)));
    if (!closed.signal.aborted) onClose();
  }
  return (
    <Modal onClose={onClose} title={isAccepting ? review.bulk : review.bulkReject}>
      <Stack>
        <div>
          <Text fw={500} id="bulk-confidence">
            {threshold}
          </Text>
          <Slider value={confidence} onChange={setConfidence} label={null} thumbLabel={threshold} data-autofocus />
        </div>
        {!filter.attribute && (
          <Select
            label={pages.attribute}
            placeholder={terms.allAttributes}
            data={[...definitions.values()].map(({ slug, name }) => ({ value: slug, label: name }))}
            value={attribute}
            onChange={setAttribute}
            clearable
            searchable
          />
        )}
        {error && <Outdated error={error} retry={() => read({ requestPolicy: 'network-only' })} />}
        <Text role="status">
          {busy ? textOf(done, formats.number(done)) : data && review.matching(count, formats.number(count))}
        </Text>
        <Group justify="flex-end">
          <Action label={actions.cancel} variant="default" onClick={onClose} />
          <Action
            label={isAccepting ? review.acceptAll : review.rejectAll}
            color={isAccepting ? undefined : 'red'}
            onClick={decide}
            loading={busy}
            disabled={count === 0 || !(isCounted || busy)}
          />
        </Group>
      </Stack>
    </Modal>
  );
}
