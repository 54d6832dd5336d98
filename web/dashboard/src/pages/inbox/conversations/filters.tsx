import { Group, Select, Stack } from '@mantine/core';
import { Search } from '../../../parts/search.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { AgentSelect } from '../agent-select.tsx';
import classes from './conversations.module.css';

export interface Filter {
  state: 'all' | 'waiting' | 'active' | 'open' | 'closed' | 'liked' | 'disliked';
  agentId: string | null;
  search: string;
}
export const noFilter: Filter = { state: 'all', agentId: null, search: '' };

const states = {
  all: {},
  waiting: { handoffStatus: 'waiting' },
  active: { handoffStatus: 'active' },
  open: { status: 'open' },
  closed: { status: 'closed' },
  liked: { rating: 'up' },
  disliked: { rating: 'down' },
} as const;

/** The variables of the query of conversations. */
export const variablesOf = ({ state, agentId, search }: Filter) => ({ ...states[state], agentId, search: search.trim() || null });

interface Props {
  filter: Filter;
  onChange(filter: Filter): void;
}

export function Filters({ filter, onChange }: Props) {
  const { inbox } = useStrings();
  return (
    <Stack gap="xs" className={classes.bar}>
      <Group>
        <Search label={inbox.search} value={filter.search} onSearch={(search) => onChange({ ...filter, search })} />
      </Group>
      <Group gap="xs" grow>
        <Select
          aria-label={inbox.state}
          allowDeselect={false}
          data={Object.entries(inbox.filters).map(([value, label]) => ({ value, label }))}
          value={filter.state}
          onChange={(state) => onChange({ ...filter, state: state as Filter['state'] })}
        />
        <AgentSelect value={filter.agentId} onChange={(agentId) => onChange({ ...filter, agentId })} />
      </Group>
    </Stack>
  );
}
