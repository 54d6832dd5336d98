import { ArgsType, InputType, ObjectType } from 'type-graphql';
import { args, field, input, output } from '../../../platform/fields/index.ts';
import { pageArguments } from '../../../platform/lists/index.ts';
import { NewLabelJob } from '../labels/types.ts';
import { Category } from './entity.ts';

export class CategoryName extends args({
  name: field(String, { maxLength: 1_024, pattern: /\S/, description: 'Case and surrounding spaces are ignored.' }),
}) {}

@ArgsType()
export class CategoryHistoryArguments extends pageArguments(10, 100) {}

@ObjectType({ description: 'The category of the requested name.' })
export class CreatedCategory extends output({
  category: field(Category),
  created: field(Boolean, 'False if the category existed before the request.'),
}) {}

@InputType({ description: 'A job that fills in attributes of categories.' })
export class NewProductCategoryEnrichmentJob extends input(NewLabelJob, {
  useWebsearch: field(Boolean, { defaultValue: false, description: 'Search the web for categories without products.' }),
}) {}
