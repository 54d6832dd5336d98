import { GraphQLError } from 'graphql';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { isObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import { spokenTime } from '../agents/office-hours.ts';
import type { CallableTool } from '../tools/callable.ts';
import { textOrNull } from '../visitor-text.ts';
import { lockConversation, openHandoff, readAway } from './handoff-state.ts';

export const HANDOFF_TOOL = 'request_person';

const MAX_REASON = 2_000;

const inputSchema = {
  type: 'object',
  properties: {
    reason: { type: 'string', maxLength: MAX_REASON, description: 'The need of the user, for the person who takes over.' },
  },
  required: ['reason'],
  additionalProperties: false,
};

/** The answer to the model. */
export const ASKED = { status: 'waiting', note: 'The team was asked. A person may join this conversation soon.' };

/** The built-in tool with which the model asks for a person. It answers the visitor until somebody takes the conversation over. */
export function handoffTool(scope: Scope, version: number | null): CallableTool {
  const own = detached(scope);
  return {
    name: HANDOFF_TOOL,
    description: 'Hand this conversation to a human colleague, when the user wants to talk to one.',
    inputSchema,
    async call(input, { conversationId }) {
      try {
        const away = await transaction(own, async (inner) => {
          const conversation = await lockConversation(inner, conversationId);
          await openHandoff(inner, conversation, { party: 'agent', reason: readReason(input), version });
          return readAway(inner, conversation.agentId);
        });
        if (!away) return { output: ASKED };
        const opens = spokenTime(away.opensAt, away.timeZone);
        const note = `The team was asked, but is outside of its office hours. It is back on ${opens}. Tell the user so.`;
        return { output: { ...ASKED, note, awayMessage: away.message } };
      } catch (error) {
        if (error instanceof GraphQLError) return { error: error.message };
        log.error({ err: error, conversationId }, 'Failed to ask for a person');
        return { error: 'The team could not be asked.' };
      }
    },
  };
}

/** The model may send anything. */
function readReason(input: unknown): string | null {
  const reason = isObject(input) ? input.reason : undefined;
  return typeof reason === 'string' ? textOrNull(truncate(reason, MAX_REASON)) : null;
}
