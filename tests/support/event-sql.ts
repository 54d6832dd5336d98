/** SQL that stores an event of the organization `$1` and returns its id. Deliveries refer to it. */
export const insertEvent = (event: string, payload = `'{}'`): string =>
  `insert into webhooks.events (id, organization_id, event, occurred_at, payload)
   values (gen_random_uuid(), $1, '${event}', now(), ${payload}) returning id`;
