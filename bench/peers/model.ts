import { fastify } from 'fastify';
import { runProcess } from '../../start/process.ts';
import { reply } from '../material.ts';

const completion = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 0,
  model: 'bench',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: JSON.stringify(reply), refusal: null } }],
  usage: { prompt_tokens: 700, completion_tokens: 120, total_tokens: 820 },
});

/** A model provider that answers at once, the same every time: what is left is what everything around it costs. */
await runProcess('model stub', async () => {
  const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
  app.post('/v1/chat/completions', (_, answer) => void answer.type('application/json').send(completion));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { addresses: { url: `${url}/v1` }, close: () => app.close() };
});
