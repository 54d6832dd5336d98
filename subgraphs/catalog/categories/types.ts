import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { pageArguments } from '../../../platform/lists/index.ts';
import { NewLabelJob } from '../labels/types.ts';
import { Category } from './entity.ts';

@ArgsType()
export class CategoryName {
  @Limited({ maxLength: 1_024, pattern: /\S/ })
  @Field(() => String, { description: 'Case and surrounding spaces are ignored.' })
  name!: string;
}

@ArgsType()
export class CategoryHistoryArguments extends pageArguments(10, 100) {}

@ObjectType({ description: 'The category of the requested name.' })
export class CreatedCategory {
  @Field(() => Category)
  category!: Category;

  @Field(() => Boolean, { description: 'False if the category existed before the request.' })
  created!: boolean;
}

@InputType({ description: 'A job that fills in attributes of categories.' })
export class NewProductCategoryEnrichmentJob extends NewLabelJob {
  @Field(() => Boolean, { defaultValue: false, description: 'Search the web for categories without products.' })
  useWebsearch!: boolean;
}
