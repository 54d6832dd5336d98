import { approvalTests } from './widget-approvals.ts';
import { chatTests } from './widget-chat.ts';
import { contextTests } from './widget-context.ts';
import { continuingTests } from './widget-continuing.ts';
import { embeddingTests } from './widget-embedding.ts';
import { handoffTests } from './widget-handoff.ts';
import { liveTests } from './widget-live.ts';
import { openWebsite, type Website } from './widget-page.ts';
import { productTests } from './widget-products.ts';
import { recoveryTests } from './widget-recovery.ts';
import { ticketTests } from './widget-tickets.ts';

/** Shared, because a gateway and a browser take seconds to start. */
let website: Promise<Website> | undefined;
const open = () => (website ??= openWebsite());
afterAll(async () => (await website)?.close());

describe('chat', () => chatTests(open));
describe('approvals', () => approvalTests(open));
describe('context', () => contextTests(open));
describe('embedding', () => embeddingTests(open));
describe('handoff', () => handoffTests(open));
describe('live', () => liveTests(open));
describe('recovery', () => recoveryTests(open));
describe('tickets', () => ticketTests(open));
describe('continuing', () => continuingTests(open));
describe('products', () => productTests(open));
