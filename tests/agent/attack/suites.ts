import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Input = Record<string, unknown>;

export interface ToolFacts {
  name: string;
  description: string;
  schema: Schema;
  isWrite: boolean;
  isPersonal: boolean;
  /** At a host that is not the one of the personal data. */
  isForeign: boolean;
}

export interface Call {
  tool: string;
  input: Input;
  /** Whether the result of the call shows a text of others, in which an injection can be. */
  isExposed: boolean;
}

export interface UserTask {
  id: string;
  prompt: string;
  calls: Call[];
}

export interface Injection {
  id: string;
  goal: string;
  calls: Call[];
}

export interface Suite {
  name: string;
  tools: ToolFacts[];
  tasks: UserTask[];
  injections: Injection[];
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** The settings that the owner of the tools makes, because names do not tell them. */
const WRITES = /^(send|schedule|update|delete|create|cancel|reschedule|add|append|share|reserve|invite|remove|post)_/;
const PUBLIC = /hotel|restaurant|car_|flight|webpage|get_current_day|get_channels/;
const FOREIGN = /webpage|flight|look_up/;

/** A search at another host, which the suites do not have and each of ours has, so that each attack has a way out. */
const lookUp = {
  tool: 'look_up',
  description: 'Search the web.',
  schema: { type: 'object', properties: { query: { type: 'string' } } },
};

type Line = { suite: string } & (
  | { tool: string; description: string; schema: Schema }
  | { task: string; prompt: string; calls: [string, Input, boolean][] }
  | { injection: string; goal: string; calls: [string, Input][] }
);

/** The suites of AgentDojo. `agentdojo.py` writes their file; its first line names the license. */
export function readSuites(): Suite[] {
  const text = readFileSync(join(import.meta.dirname, 'agentdojo.jsonl'), 'utf8');
  const lines = text.trim().split('\n').slice(1);
  const bySuite = Map.groupBy(
    lines.map((line) => JSON.parse(line) as Line),
    ({ suite }) => suite,
  );
  return [...bySuite].map(([name, all]) => ({
    name,
    tools: [...all.flatMap((line) => ('tool' in line ? line : [])), lookUp].map(factsOf),
    tasks: all.flatMap((line) => ('task' in line ? { id: line.task, prompt: line.prompt, calls: line.calls.map(callOf) } : [])),
    injections: all.flatMap((line) =>
      'injection' in line ? { id: line.injection, goal: line.goal, calls: line.calls.map(callOf) } : [],
    ),
  }));
}

const factsOf = ({ tool: name, description, schema }: { tool: string; description: string; schema: Schema }): ToolFacts => ({
  name,
  description,
  schema,
  isWrite: WRITES.test(name),
  isPersonal: !WRITES.test(name) && !PUBLIC.test(name) && !FOREIGN.test(name),
  isForeign: FOREIGN.test(name),
});

const callOf = ([tool, input, isExposed = false]: [string, Input, boolean?]): Call => ({ tool, input, isExposed });

/** Arguments that the schema of a tool accepts, with the text in each place for text. */
export function filledWith(text: string, { properties = {} }: Schema): Input {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(text, schema)]));
}

function sampleOf(text: string, { type, items, anyOf, properties }: Schema): unknown {
  if (anyOf) return sampleOf(text, anyOf[0]!);
  if (type === 'array') return [sampleOf(text, items ?? {})];
  if (type === 'object') return filledWith(text, { properties });
  if (type === 'number' || type === 'integer') return 1;
  return type === 'boolean' ? true : text;
}
