/** Requests to the model provider: tiers, structured replies with repair, embeddings and web search. Adapts the number of concurrent requests to the provider; chats come before jobs. */
export { ChatWaits } from './chat-waits.ts';
export type { Model, ModelTier, StreamRequest } from './client.ts';
export { ProviderFault, ProviderRefusal } from './faults.ts';
export { fitSources, SOURCE_BUDGET, type Source } from './source.ts';
export { type Answer, askForReply, type Reply } from './structured.ts';
export { inBackground, inChat, NoTurn } from './turns.ts';
export { DIMENSIONS } from './vector.ts';
export { type SearchEndpoint, searchWeb, type WebQuestion } from './web-search.ts';
