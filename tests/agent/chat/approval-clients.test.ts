import * as ai7 from 'ai';
import * as ai6 from 'ai6';
import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { until } from '../../support/until.ts';
import { startToolReceiver } from '../tools/receiver.ts';
import { ORIGIN, seedAgent } from './chatting.ts';

const provider = await startChatProvider();
const receiver = await startToolReceiver();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.close(), receiver.close()]);
});
const acme = await seedAgent(gateway.url, { requireApprovals: true });
await acme.admin.graphql('mutation ($id: ID!, $input: NewTool!) { createTool(agentId: $id, input: $input) { id } }', {
  id: acme.agent.id,
  input: { name: 'cancel_order', description: 'Cancels it.', endpointUrl: `${receiver.url}/cancel` },
});
provider.on('cancel it', (response, { messages }) => {
  const last = messages.at(-1)!;
  if (last.role === 'tool') response.text(last.content!.includes('not approved') ? 'I left it.' : 'It is canceled.').finish();
  else response.call(0, 'c1', 'cancel_order', '{}').finish('tool_calls');
});

// The versions have the same functions, but their types are unrelated.
const versions = { 6: ai6, 7: ai7 } as unknown as Record<string, typeof ai7>;
const cases = Object.entries(versions).flatMap(([version, ai]) => [
  { version, ai, approved: true, state: 'output-available', answer: 'It is canceled.' },
  { version, ai, approved: false, state: 'output-denied', answer: 'I left it.' },
]);

test.each(cases)(
  'a chat of ai $version decides with approved = $approved, and reads the rest of the reply',
  async ({ ai, approved, state, answer }) => {
    receiver.received.length = 0;
    class Chat extends ai.AbstractChat<ai7.UIMessage> {}
    const chat = new Chat({
      state: {
        status: 'ready' as ai7.ChatStatus,
        error: undefined as Error | undefined,
        messages: [] as ai7.UIMessage[],
        pushMessage(message: ai7.UIMessage) {
          this.messages = [...this.messages, message];
        },
        popMessage() {
          this.messages = this.messages.slice(0, -1);
        },
        replaceMessage(index: number, message: ai7.UIMessage) {
          this.messages = this.messages.with(index, message);
        },
        snapshot: <T>(value: T): T => structuredClone(value),
      },
      transport: new ai.DefaultChatTransport({
        api: acme.widgetPath,
        headers: { origin: ORIGIN, 'x-visitor-id': crypto.randomUUID() },
      }),
      sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: 'Please cancel it' });
    expect(chat.error).toBeUndefined();
    const asked = chat.messages.at(-1)!.parts.find(({ type }) => type === 'tool-cancel_order') as {
      state: string;
      approval: { id: string };
    };
    expect(asked.state).toBe('approval-requested');
    expect(receiver.received).toEqual([]);
    await chat.addToolApprovalResponse({ id: asked.approval.id, approved });
    await until(
      () => chat.status === 'ready' && chat.messages.at(-1)!.parts.some((part) => part.type === 'text' && part.text === answer),
    );
    expect(chat.error).toBeUndefined();
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(chat.messages.at(-1)!.parts).toContainEqual(expect.objectContaining({ type: 'tool-cancel_order', state }));
    expect(receiver.received).toHaveLength(approved ? 1 : 0);
  },
);
