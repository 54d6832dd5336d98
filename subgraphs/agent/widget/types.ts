import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';

@ObjectType({ description: 'What a visitor may do beside writing.' })
export class WidgetFeatures {
  @Field(() => Boolean, { description: 'Speak to the agent.' })
  voice!: boolean;

  @Field(() => Boolean, { description: 'Be handed over to a person; needs the Helpdesk module.' })
  handoff!: boolean;
}

@ObjectType({ description: 'What an embedded widget starts from. Public: it holds nothing that visitors may not see.' })
export class WidgetConfig {
  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'The first message that visitors see.' })
  welcomeMessage!: string;

  @Field(() => String, { description: 'Shown in the empty chat input.' })
  placeholder!: string;

  @Field(() => [String], { description: 'Quick replies before the first message.' })
  suggestedMessages!: string[];

  @Field(() => GraphQLJSONObject, { description: 'How the widget looks.' })
  theme!: Record<string, unknown>;

  @Field(() => GraphQLJSONObject)
  branding!: Record<string, unknown>;

  @Field(() => WidgetFeatures)
  features!: WidgetFeatures;

  @Field(() => Boolean, { description: 'Whether a page of this origin may chat. When false, add the origin to the allowed ones.' })
  originAllowed!: boolean;

  @Field(() => String, { nullable: true, description: 'The origin of the request as the browser sent it; null when it sent none.' })
  origin!: string | null;
}
