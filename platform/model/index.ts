/** Requests to the model provider: tiers, structured replies with repair, embeddings and web search. Adapts the number of concurrent requests to the provider; chats come before jobs. */

export { ProviderFault, ProviderRefusal } from './faults.ts';
export { DIMENSIONS, type Model, type ModelTier, type StreamRequest } from './model-client.ts';
export { ChatWaits, inBackground, inChat, QueueTimeout } from './request-queue.ts';
export { askForReply, type CheckedReply, fitSources, type ModelAnswer, type ModelSource, SOURCE_BUDGET } from './structured.ts';
export { type SearchEndpoint, searchWeb, type WebQuestion } from './web-search.ts';
