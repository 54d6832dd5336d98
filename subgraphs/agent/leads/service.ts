import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { emitEvent } from '../agent-events.ts';
import { findAgent } from '../agents/service.ts';
import { Contact } from '../contacts/entity.ts';
import { contactForRecord, contactOf, lockForRecord, setContact } from '../contacts/service.ts';
import { RecentList } from '../recent-arguments.ts';
import { agentNameOf, nextRecordTime, readRecent } from '../recent-list.ts';
import { emailOrNull, textOrNull } from '../visitor-text.ts';
import { Lead, LeadsArguments, NewLead } from './entity.ts';

@Access('member')
@Resolver(() => Lead)
export class LeadResolver {
  @RecentList()
  @Query(() => [Lead], { description: 'The leads of the organization, newest first.' })
  leads(@Ctx() scope: RequestScope, @Args(() => LeadsArguments) { email, ...recent }: LeadsArguments): Promise<Lead[]> {
    return readRecent<Lead>(
      scope,
      Lead,
      {
        columns: COLUMNS,
        conditions: (bind) => (email ? [`lower(r.email) = lower(${bind(email.trim())})`] : []),
      },
      recent,
    );
  }

  /** Create a lead with its contact and the event `lead.created`. Throws `NOT_FOUND` for an unknown agent. */
  @Idempotent()
  @Mutation(() => Lead, { description: 'Create a lead and emit `lead.created`.' })
  createLead(@Ctx() scope: RequestScope, @Arg('input', () => NewLead) input: NewLead): Promise<Lead> {
    return scope.write((inner) => insertLead(inner, input));
  }

  @FieldResolver(() => String)
  agentName(@Ctx() scope: RequestScope, @Root() record: Lead) {
    return agentNameOf(scope, record);
  }

  @FieldResolver(() => Contact, { nullable: true })
  contact(@Ctx() scope: RequestScope, @Root() { contactId }: Lead) {
    return contactOf(scope, contactId);
  }
}

const COLUMNS = ['id', 'name', 'email', 'phone', 'contactId', 'conversationId', 'agentId', 'agentName', 'createdAt'] as const;

/** The only place that writes leads, so every lead has its event. Runs in the transaction of the scope. */
export async function insertLead(scope: Scope, input: NewLead & { conversationId?: string | null }): Promise<Lead> {
  const [name, email, phone] = [textOrNull(input.name), emailOrNull(input.email), textOrNull(input.phone)];
  if (!name && !email) throw fail('INVALID_INPUT', 'name or email is required');
  const agent = await findAgent(scope, input.agentId);
  // In the order in which an agent raises a ticket, so that both cannot deadlock.
  if (input.conversationId) await lockForRecord(scope, input.conversationId);
  const contactId = (await contactForRecord(scope, input.conversationId, { email, name, phone }))!;
  if (input.conversationId) await setContact(scope, input.conversationId, contactId);
  const lead = scope.em.create(Lead, {
    organizationId: scope.organizationId,
    name,
    email,
    phone,
    contactId,
    conversationId: input.conversationId ?? null,
    agentId: agent.id,
    agentName: agent.name,
    createdAt: await nextRecordTime(scope, 'lead'),
  });
  await scope.em.flush();
  const { id, conversationId, createdAt } = lead;
  const data = { id, name, email, phone, contactId, conversationId, agentId: agent.id, agentName: agent.name, createdAt };
  await emitEvent(scope, 'lead.created', lead, data);
  return lead;
}
