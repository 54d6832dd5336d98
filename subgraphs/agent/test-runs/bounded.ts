import type { JsonObject } from '../../../schema/json.ts';
import { storableJson } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import type { CheckOutcome, RecordedCall, RecordedTurn } from '../testing/checks.ts';

/** Characters of the turns of one result, and of each argument, output and error: the largest of these limits with which the turns fit. */
const [MAX_TURNS, LIMITS] = [200_000, [4_000, 400, 40]];
/** Texts are longer than the values of calls. */
const TEXT = 5;
/** Calls and sources of a reply. */
const [MAX_CALLS, MAX_SOURCES] = [50, 20];

/** Turns as they are stored. Long values are cut, after the checks have seen them whole. */
export function boundedTurns(turns: readonly RecordedTurn[]): RecordedTurn[] {
  const storable = storableJson(turns, -3);
  let cut: RecordedTurn[] = [];
  for (const limit of LIMITS) {
    cut = storable.map((turn) => cutTurn(turn, limit));
    if (JSON.stringify(cut).length <= MAX_TURNS) break;
  }
  return cut;
}

/** Outcomes as they are stored. The reasons are short already. */
export const boundedChecks = (checks: readonly CheckOutcome[]): CheckOutcome[] =>
  checks.map((each) => ({
    ...each,
    check: { ...each.check, arguments: each.check.arguments && cutObject(each.check.arguments, LIMITS[0]!) },
  }));

const cutTurn = (turn: RecordedTurn, limit: number): RecordedTurn => ({
  ...turn,
  question: truncate(turn.question, TEXT * limit),
  reply: truncate(turn.reply, TEXT * limit),
  calls: turn.calls.slice(0, MAX_CALLS).map((call) => cutCall(call, limit)),
  sources: turn.sources
    .slice(0, MAX_SOURCES)
    .map(({ title, url }) => ({ title: title && truncate(title, limit), url: url && truncate(url, limit) })),
});

const cutCall = (call: RecordedCall, limit: number): RecordedCall => ({
  ...call,
  arguments: cutObject(call.arguments, limit),
  output: cutValue(call.output, limit),
  error: call.error && truncate(call.error, limit),
});

/** A text stays a text. Other values become the beginning of their JSON. */
function cutValue(value: unknown, limit: number): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length <= limit ? value : `${truncate(text, limit)}…`;
}

function cutObject(value: JsonObject, limit: number): JsonObject {
  const cut = cutValue(value, limit);
  return cut === value ? value : { truncated: cut };
}
