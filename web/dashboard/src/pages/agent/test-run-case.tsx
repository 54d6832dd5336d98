import { Alert, Fieldset, Group, List, Mark, Paper, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { TestRunCaseQuery, TestTarget } from '../../../.graph/graphql.ts';
import { Outcome, type RunRow } from '../../agents/agent-tests.tsx';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note, Tag } from '../../parts/elements.tsx';
import { Drawer } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { labelOf } from './test-set.tsx';

const CASE = graphql(`
  query TestRunCase($id: ID!) {
    testRunCase(id: $id) {
      id name messages customer { goal } draft published regressed
      results {
        id target repeat status error credits inputTokens outputTokens model
        turns { question reply declined durationMs calls { tool arguments answer output error } sources { title url } }
        checks { passed reason check { kind text number unit tool arguments } }
        judgment { agrees reason }
      }
    }
  }
`);
type Case = TestRunCaseQuery['testRunCase'];
type Result = Case['results'][number];

/** A case of a run: the answers of the draft and of the published version side by side, and their difference. */
export function TestRunCase({ id, run, onClose }: { id: string; run: RunRow; onClose(): void }) {
  const { tests } = useStrings();
  const query = useQuery({ query: CASE, variables: { id } });
  return (
    <Drawer title={tests.case} size="xl" onClose={onClose}>
      <Loaded query={query}>
        {({ testRunCase }) => (
          <Stack>
            <Text size="md" fw={600}>
              {testRunCase.name}
            </Text>
            {testRunCase.messages.map((message, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: messages may repeat.
              <Text key={at}>“{message}”</Text>
            ))}
            {testRunCase.customer && (
              <Text>
                {tests.customer}: {testRunCase.customer.goal}
              </Text>
            )}
            {run.target === 'draft' && <Difference results={testRunCase.results} />}
            {Array.from({ length: run.repeats }, (_, at) => at + 1).map((number) => (
              <Repeat key={number} number={number} shown={testRunCase} target={run.target} />
            ))}
          </Stack>
        )}
      </Loaded>
    </Drawer>
  );
}

const answerOf = (results: readonly Result[], target: TestTarget): string | undefined =>
  results
    .find((each) => each.target === target && each.turns.length > 0)
    ?.turns.map(({ reply }) => reply)
    .join('\n\n');

/** The first answers of both, word by word. */
function Difference({ results }: { results: readonly Result[] }) {
  const { tests } = useStrings();
  const [before, after] = [answerOf(results, 'published'), answerOf(results, 'draft')];
  if (before === undefined || after === undefined) return null;
  return (
    <Fieldset legend={tests.difference}>
      <Note size="xs" mb={4}>
        {tests.differenceText}
      </Note>
      <WordDifference before={before} after={after} />
    </Fieldset>
  );
}

function Repeat({ number, shown, target }: { number: number; shown: Case; target: TestTarget }) {
  const { tests, terms } = useStrings();
  const targets: TestTarget[] = target === 'draft' ? ['draft', 'published'] : ['published'];
  return (
    <section aria-label={tests.repeat(number)}>
      <Text fw={600} mb={4}>
        {tests.repeat(number)}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: targets.length }} spacing="sm">
        {targets.map((each) => {
          const result = shown.results.find((one) => one.target === each && one.repeat === number);
          return (
            <Paper key={each} withBorder p="sm">
              <Group gap="xs" mb="xs">
                <Text fw={600}>{each === 'draft' ? terms.draft : tests.published}</Text>
                {number === 1 && <Outcome outcome={shown[each]} />}
              </Group>
              {result && <ResultView result={result} asks={shown.customer !== null || shown.messages.length > 1} />}
            </Paper>
          );
        })}
      </SimpleGrid>
    </section>
  );
}

const colors = { pending: 'gray', processing: 'blue', passed: 'teal', failed: 'red', error: 'red', skipped: 'gray' } as const;

function ResultView({ result, asks }: { result: Result; asks: boolean }) {
  const { status, error, turns, checks, judgment, credits, model, inputTokens, outputTokens } = result;
  const { tests, terms, formats } = useStrings();
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Tag label={tests.resultStatuses[status]} color={colors[status]} />
        <Note size="xs">
          {[
            ...turns.map(({ durationMs }) => tests.took(formats.duration(durationMs / 1_000))),
            credits > 0 && tests.credits(credits, formats.credits(credits)),
            inputTokens > 0 && tests.tokens(formats.number(inputTokens), formats.number(outputTokens)),
            model,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Note>
      </Group>
      {error && (
        <Alert color="red" p="xs">
          {error}
        </Alert>
      )}
      {turns.map(({ question, reply, declined, calls, sources }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the turns have no other name.
        <div key={at}>
          {asks && <Note size="xs">“{question}”</Note>}
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{reply}</Text>
          {declined && <Tag label={tests.declined} size="xs" color="yellow" />}
          {sources.length > 0 && (
            <Note size="xs">
              {tests.cites}: {sources.map(({ title, url }) => title ?? url).join(', ')}
            </Note>
          )}
          {calls.length > 0 && (
            <Note size="xs">
              {terms.calls}: {calls.map(({ tool, arguments: given }) => `${tool} ${JSON.stringify(given)}`).join(', ')}
            </Note>
          )}
        </div>
      ))}
      <List size="sm" listStyleType="none" spacing={2} withPadding={false}>
        {checks.map(({ check, passed, reason }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the checks have no other name.
          <List.Item key={at}>
            <Text c={passed ? undefined : 'red'}>
              {passed ? '✓' : '✗'} {labelOf(tests.kinds[check.kind], check)}
              {reason && ` – ${reason}`}
            </Text>
          </List.Item>
        ))}
      </List>
      {judgment && (
        <Note size="xs">
          {tests.opinion}: {judgment.agrees ? tests.agrees : tests.disagrees}. {judgment.reason}
        </Note>
      )}
    </Stack>
  );
}

/** Words of a text, above which the comparison would take long. */
const MAX_WORDS = 1_500;

interface Piece {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** The differences between two texts, word by word. Longer texts are compared as a whole. */
function WordDifference({ before, after }: { before: string; after: string }) {
  const { tests } = useStrings();
  if (before === after) return <Text>{tests.same}</Text>;
  const labels = { removed: tests.wordRemoved, added: tests.wordAdded };
  return (
    <Text component="div" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {differencesOf(before, after).map(({ kind, text }, at) =>
        kind === 'same' ? (
          text
        ) : (
          <Mark
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other name, and are drawn at once.
            key={at}
            component={kind === 'removed' ? 'del' : 'ins'}
            color={kind === 'removed' ? 'red' : 'teal'}
          >
            <VisuallyHidden>{` ${labels[kind]}: `}</VisuallyHidden>
            {text}
          </Mark>
        ),
      )}
    </Text>
  );
}

/** By the longest common subsequence of the words. */
function differencesOf(before: string, after: string): Piece[] {
  const [old, fresh] = [wordsOf(before), wordsOf(after)];
  if (old.length > MAX_WORDS || fresh.length > MAX_WORDS)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  const width = fresh.length + 1;
  // The length of the longest common subsequence of the rests from these places on.
  const common = new Uint16Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = fresh.length - 1; b >= 0; b -= 1)
      common[a * width + b] =
        old[a] === fresh[b]
          ? common[(a + 1) * width + b + 1]! + 1
          : Math.max(common[(a + 1) * width + b]!, common[a * width + b + 1]!);
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], text: string) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [a, b] = [0, 0];
  while (a < old.length || b < fresh.length) {
    if (a < old.length && b < fresh.length && old[a] === fresh[b]) {
      add('same', old[a]!);
      a += 1;
      b += 1;
    } else if (b === fresh.length || (a < old.length && common[(a + 1) * width + b]! >= common[a * width + b + 1]!)) {
      add('removed', old[a]!);
      a += 1;
    } else {
      add('added', fresh[b]!);
      b += 1;
    }
  }
  return pieces;
}

/** Words, and the spaces and marks between them. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu) ?? [];
