import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../common/limits.ts';
import { pageArguments } from '../../common/page.ts';
import { NewLabelJob } from '../labels/types.ts';
import { Brand } from './entity.ts';

@ArgsType()
export class BrandName {
  @Limited({ maxLength: 128, pattern: /\S/ })
  @Field(() => String, { description: 'In any case; the space around it does not matter.' })
  name!: string;
}

@ArgsType()
export class BrandHistoryArguments extends pageArguments(10, 50) {}

@ObjectType({ description: 'The brand of a name, and whether it was made just now.' })
export class CreatedBrand {
  @Field(() => Brand)
  brand!: Brand;

  @Field(() => Boolean)
  created!: boolean;
}

@InputType({ description: 'An enrichment of brands by rows, each of which names one.' })
export class NewBrandEnrichmentJob extends NewLabelJob {
  @Field(() => Boolean, { defaultValue: true, description: 'Search the web for brands without linked products.' })
  useWebsearch!: boolean;
}
