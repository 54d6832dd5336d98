import type { Word } from '../../../schema/words.ts';

const prices: Record<Word<'AgentModelType'>, number> = { 'agent-chat-v1': 1, 'agent-chat-pro-v1': 5 };

/** Credits of one reply. */
export const priceOf = (tier: Word<'AgentModelType'>): number => prices[tier];

/** Credits of one voice session. The provider does not report its length, so the price is flat. */
export const VOICE_PRICE = 10;
