import { Select } from '@mantine/core';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useStrings } from '../../strings/strings.tsx';

const AGENT_SUMMARIES = graphql(`query AgentSummaries { agentSummaries { id name } }`);

/** The name of an agent by its id, for members too. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const [{ data }] = useQuery({ query: AGENT_SUMMARIES, requestPolicy: 'cache-first' });
  return new Map(data?.agentSummaries.map(({ id, name }) => [id, name]));
}

interface Props {
  value: string | null;
  onChange(id: string | null): void;
}

/** Filters a list by agent. */
export function AgentSelect({ value, onChange }: Props) {
  const { inbox } = useStrings();
  const names = useAgentNames();
  if (names.size < 2) return null;
  return (
    <Select
      aria-label={inbox.agent}
      placeholder={inbox.allAgents}
      clearable
      clearButtonProps={{ 'aria-label': inbox.allAgents }}
      searchable
      w={180}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
    />
  );
}
