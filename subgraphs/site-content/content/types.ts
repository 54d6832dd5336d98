import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import type { Limit } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListArguments, ListOf, PageArguments } from '../site-list.ts';
import { Redirect } from './addresses.ts';

/** A slug of content, which may be longer than that of an organization. */
export const CONTENT_SLUG: Limit = { minLength: 1, maxLength: 128, pattern: /^[a-z0-9][a-z0-9-]*$/ };
export const TITLE: Limit = { minLength: 1, maxLength: 255, pattern: /\S/ };

const DRAFTS = 'Only owners and admins can use values other than `published`.';

@ArgsType()
export class SiteListArguments extends ListArguments {
  @Field(() => ID)
  siteId!: string;
}

@ArgsType()
export class PublishableListArguments extends SiteListArguments {
  @Field(() => enumTypes.PublicationFilter, { defaultValue: 'published', description: DRAFTS })
  status!: EnumValue<'PublicationFilter'>;
}

/** Arguments of a list of publishable records inside its parent. */
@ArgsType()
export class NestedPublishableArguments extends PageArguments {
  @Field(() => enumTypes.PublicationFilter, { defaultValue: 'published', description: DRAFTS })
  status!: EnumValue<'PublicationFilter'>;
}

@ArgsType()
export class RedirectsArguments extends PageArguments {
  @Field(() => ID)
  siteId!: string;
}

@ObjectType({ description: 'One page of redirects.' })
export class RedirectList extends ListOf(Redirect, 'RedirectList') {}

@ObjectType({ description: 'Confirms that a record of a site was deleted.' })
export class DeletedContent {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}
