/** An SQL condition: the agent of a row is not deleted. `row` is the alias of a table with `agent_id`. */
export const ofPresentAgent = (row: string): string =>
  `exists (select from agent.agents a where a.id = ${row}.agent_id and a.deleted_at is null)`;
