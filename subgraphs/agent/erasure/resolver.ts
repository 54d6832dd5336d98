import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, FieldResolver, ID, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { field, Id, list, output } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Contact } from '../contacts/entity.ts';
import { exportContact } from './contact-export.ts';
import { ContactErasure } from './entity.ts';
import * as erasures from './service.ts';

@ObjectType({ description: 'A part of the stored data of a contact.' })
class ContactExport extends output({
  records: list(GraphQLJSONObject, {
    assumedSize: 100,
    description:
      'Records, each with its `type`: `contact`, `lead`, `submission`, `ticket`, `ticketMessage`, `conversation`, `message`, `handoff` or `toolCall`. A part before the last one can be empty.',
  }).as<Record<string, unknown>[]>(),
  endCursor: field(String, { nullable: true, description: 'Pass it as `after` to read the next part; null at the end.' }),
}) {}

@Access('admin')
@Resolver(() => Contact)
export class ContactErasureResolver {
  @Query(() => ContactExport, {
    nullable: true,
    description:
      'All stored data of a contact, in parts of about 100 records: its leads, submissions, tickets and conversations, as `eraseContact` would erase them.',
  })
  exportContact(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the previous part.' }) after?: string | null,
  ) {
    return exportContact(scope, id, after);
  }

  @Mutation(() => ContactErasure, {
    description:
      'Erase a contact for good: its leads, submissions, conversations with their tool calls, the content of its tickets, webhook deliveries about them, and stored responses. Numbers and statuses of tickets stay. Running chats end. A contact that is being erased already returns that erasure.',
  })
  eraseContact(@Ctx() scope: RequestScope, @Arg('id', () => ID, { description: 'The contact.' }) id: string) {
    return erasures.eraseContact(scope, id);
  }

  @Query(() => ContactErasure, { nullable: true, description: 'The erasure of a contact, also when it is complete.' })
  contactErasure(@Ctx() scope: RequestScope, @Id('contactId') contactId: string) {
    return erasures.findErasure(scope, contactId);
  }

  @FieldResolver(() => ContactErasure, { nullable: true, description: 'Set while the contact is being erased.' })
  erasure(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Contact) {
    return erasures.erasureOf(scope.within(organizationId), id);
  }
}
