import { ArgsType, InputType, ObjectType } from 'type-graphql';
import { args, field, input, output } from '../../../platform/fields/index.ts';
import { pageArguments } from '../../../platform/lists/index.ts';
import { NewLabelJob } from '../labels/types.ts';
import { Brand } from './entity.ts';

export class BrandName extends args({
  name: field(String, { maxLength: 128, pattern: /\S/, description: 'Case and surrounding spaces are ignored.' }),
}) {}

@ArgsType()
export class BrandHistoryArguments extends pageArguments(10, 50) {}

@ObjectType({ description: 'The brand of the requested name.' })
export class CreatedBrand extends output({
  brand: field(Brand),
  created: field(Boolean, 'False if the brand existed before the request.'),
}) {}

@InputType({ description: 'A job that fills in attributes of brands.' })
export class NewBrandEnrichmentJob extends input(NewLabelJob, {
  useWebsearch: field(Boolean, { defaultValue: true, description: 'Search the web for brands without products.' }),
}) {}
