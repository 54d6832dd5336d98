import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { pageArguments } from '../../../platform/lists/index.ts';
import { NewLabelJob } from '../labels/types.ts';
import { Brand } from './entity.ts';

@ArgsType()
export class BrandName {
  @Limited({ maxLength: 128, pattern: /\S/ })
  @Field(() => String, { description: 'Case and surrounding spaces are ignored.' })
  name!: string;
}

@ArgsType()
export class BrandHistoryArguments extends pageArguments(10, 50) {}

@ObjectType({ description: 'The brand of the requested name.' })
export class CreatedBrand {
  @Field(() => Brand)
  brand!: Brand;

  @Field(() => Boolean, { description: 'False if the brand existed before the request.' })
  created!: boolean;
}

@InputType({ description: 'A job that fills in attributes of brands.' })
export class NewBrandEnrichmentJob extends NewLabelJob {
  @Field(() => Boolean, { defaultValue: true, description: 'Search the web for brands without products.' })
  useWebsearch!: boolean;
}
