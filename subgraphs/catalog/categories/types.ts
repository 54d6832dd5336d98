import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../common/limits.ts';
import { pageArguments } from '../../common/page.ts';
import { NewLabelJob } from '../labels/types.ts';
import { Category } from './entity.ts';

@ArgsType()
export class CategoryName {
  @Limited({ maxLength: 1_024, pattern: /\S/ })
  @Field(() => String, { description: 'In any case; the space around it does not matter.' })
  name!: string;
}

@ArgsType()
export class CategoryHistoryArguments extends pageArguments(10, 100) {}

@ObjectType({ description: 'The category of a name, and whether it was made just now.' })
export class CreatedCategory {
  @Field(() => Category)
  category!: Category;

  @Field(() => Boolean)
  created!: boolean;
}

@InputType({ description: 'An enrichment of categories by rows, each of which names one.' })
export class NewProductCategoryEnrichmentJob extends NewLabelJob {
  @Field(() => Boolean, { defaultValue: false, description: 'Search the web for categories without linked products.' })
  useWebsearch!: boolean;
}
