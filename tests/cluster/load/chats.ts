import { setTimeout as sleep } from 'node:timers/promises';
import { question, read, seedAgent } from '../../agent/chat/chatting.ts';
import { database } from '../../support/seed.ts';
import { type Attempts, eventually, type Workload } from './workload.ts';

/** Milliseconds of a reply, so that some are being written whenever a process ends. */
const REPLY_MS = 600;
/** A reply of a killed process ends within a minute. */
const PATIENCE = 150_000;

const REPLIES = `
  select count(distinct conversation_id)::int as answered, count(*)::int as replies,
         count(*) filter (where status = 'complete')::int as complete, count(*) filter (where status = 'failed')::int as failed
    from agent.messages where role = 'assistant' and status <> 'running' and conversation_id = any($1)`;

/** Sends messages to an agent and reads the streams of the replies. */
export async function chats(url: string, databaseUrl: string, attempts: Attempts): Promise<Workload> {
  const { adminPath, key } = await seedAgent(url, {}, { databaseUrl });
  const accepted: string[] = [];
  const ask = async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const body = JSON.stringify(question(`Which color? [[provider: slow ${REPLY_MS}]]`));
    const response = await fetch(adminPath, { method: 'POST', headers, body });
    if (response.status !== 200) throw new Error(`status ${response.status} ${(await response.text()).slice(0, 120)}`);
    accepted.push(response.headers.get('x-conversation-id')!);
    const { parts, isDone } = await read(response);
    const error = parts.find(({ type }) => type === 'error');
    if (error || !isDone) throw new Error(error ? 'the reply failed' : 'the stream was cut');
  };
  const count = async () => (await database(databaseUrl).query(REPLIES, [accepted])).rows[0];
  return {
    async run(signal) {
      while (!signal.aborted) {
        await attempts.once('chat', ask);
        await sleep(100);
      }
    },
    async settle() {
      await eventually(async () => (await count()).answered === accepted.length, PATIENCE);
      const { answered, replies, complete, failed } = await count();
      return [
        {
          name: 'chat replies',
          accepted: accepted.length,
          done: complete,
          lost: accepted.length - answered,
          doubled: replies - answered,
          failed,
        },
      ];
    },
  };
}
