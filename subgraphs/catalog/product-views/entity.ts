import { GraphQLJSONObject } from 'graphql-scalars';
import { InputType, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { field, input, NAME } from '../../../platform/fields/index.ts';
import { isObject } from '../../../schema/json.ts';
import { isLonger, isStorable } from '../../../schema/text.ts';

@ObjectType({ description: 'A saved view of the list of products: its filter, columns and order under a name.' })
@Table('catalog.product_views')
export class ProductView extends columns(Owned, {
  ownerId: hidden('uuid'),
  name: column('text', 'Unique among the views of its owner, ignoring case.'),
  isShared: column('boolean', { initial: false, description: 'Whether all members of the organization see the view.' }),
  settings: column(GraphQLJSONObject, { type: 'json', description: 'Texts by name, such as the address of the list has them.' }).as<
    Record<string, string>
  >(),
  savedAt: column('datetime', { initial: clock.now }),
}) {}

const [MAX_SETTINGS, MAX_NAME, MAX_TEXT] = [40, 40, 5_000];

/** The faults of the settings of a view, one sentence each. */
function* settingsFaults(settings: unknown, path: string): Generator<string> {
  if (!isObject(settings)) return yield `${path} must be an object`;
  const entries = Object.entries(settings);
  if (entries.length > MAX_SETTINGS) return yield `${path} must have at most ${MAX_SETTINGS} entries`;
  for (const [name, text] of entries) {
    if (!/^[a-z][a-zA-Z]*$/.test(name) || name.length > MAX_NAME)
      yield `${path} must have names of at most ${MAX_NAME} letters, the first of them in lower case`;
    else if (typeof text !== 'string' || isLonger(text, MAX_TEXT) || !isStorable(text))
      yield `${path}.${name} must be a text of at most ${MAX_TEXT} characters`;
  }
}

@InputType({ description: 'A view of the list of products.' })
export class ProductViewInput extends input({
  name: field(String, { ...NAME, maxLength: 100, description: 'A view of the caller with this name, ignoring case, is replaced.' }),
  isShared: field(Boolean, { defaultValue: false, description: 'Whether all members of the organization see the view.' }),
  settings: field(GraphQLJSONObject, {
    faults: settingsFaults,
    description: 'Up to 40 texts by name, each of at most 5,000 characters. The service stores them and gives them no meaning.',
  }).as<Record<string, string>>(),
}) {}
