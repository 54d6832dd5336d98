import { randomUUID } from 'node:crypto';
import { detached, type RequestScope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { holdAgent } from '../agents/service.ts';
import { canCharge, charge, VOICE_PRICE } from '../chat/charge.ts';
import { UNAVAILABLE_TEXT } from '../chat/reply-writing.ts';
import { countMessage, embeddedAgent, visitorIdOf } from '../chat/sender.ts';
import type { VoiceToken } from './types.ts';

/**
 * Mint a token for a voice session that the browser opens at the model provider, and charge it. Throws `FORBIDDEN` if voice is off, and
 * `OUT_OF_CREDITS` without credits or beyond the daily budget of the agent.
 */
export async function mintVoiceToken(scope: RequestScope, publicSlug: string, visitorId?: string | null): Promise<VoiceToken> {
  const agent = await embeddedAgent(scope, publicSlug);
  if (!agent.voiceEnabled) throw fail('FORBIDDEN', 'Voice is not enabled for this agent.');
  const { services, signal } = scope;
  if (!services.model) throw fail('UNAVAILABLE', 'No model provider is configured.');
  await countMessage(scope, agent, await visitorIdOf(scope, agent, visitorId));
  const within = detached({ services, organizationId: agent.organizationId });
  // Spare the provider requests that cannot be charged.
  if (!(await canCharge(within, agent, VOICE_PRICE))) throw unavailable();
  let token: VoiceToken;
  try {
    // The provider shows the instructions of a session to its browser, so they contain only public fields.
    const instructions = `You are ${agent.name}, a voice assistant on a website. Begin with: ${agent.welcomeMessage || 'Hello!'}`;
    token = await services.model.openVoiceSession(instructions, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw fail('UNAVAILABLE', 'Voice is not available at the moment. Please try again later.');
  }
  // Last, so that a failed or interrupted request costs nothing.
  const reference = `voice:${randomUUID()}`;
  const charges = { agent, price: VOICE_PRICE, reason: 'voice session', reference, byVisitor: true };
  const isPaid = await transaction(within, async (inner) => {
    await holdAgent(inner, agent.id);
    return charge(inner, charges);
  });
  if (!isPaid) throw unavailable();
  return token;
}

const unavailable = () => fail('OUT_OF_CREDITS', UNAVAILABLE_TEXT);
