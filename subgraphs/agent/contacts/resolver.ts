import { Args, ArgsType, Authorized, Ctx, ObjectType, Query, Resolver } from 'type-graphql';
import { PageOf, pageArguments } from '../../common/page.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Contact } from './entity.ts';
import * as contacts from './service.ts';

@ArgsType()
class ContactsArguments extends pageArguments(20) {}

@ObjectType({ description: 'One page of contacts.' })
class ContactPage extends PageOf(Contact, 'ContactPage') {}

@Resolver(() => Contact)
export class ContactResolver {
  @Authorized('member')
  @Query(() => ContactPage, { description: 'The contacts of the organization, newest first.' })
  contacts(@Ctx() scope: RequestScope, @Args(() => ContactsArguments) page: ContactsArguments) {
    return contacts.listContacts(scope, page);
  }
}
