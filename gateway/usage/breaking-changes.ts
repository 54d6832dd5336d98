import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNamedType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
  specifiedDirectives,
} from 'graphql';

/** A change of a schema that can break operations. */
export interface BreakingChange {
  /** The changed part. */
  readonly coordinate: string;
  readonly message: string;
  /** An operation that uses none of these parts is not affected. Undefined if that cannot be known. `Product.*` means all parts of a type. */
  readonly affects?: readonly string[];
}

/** The changes between two API schemas that can break valid operations, or change the type of data that their clients receive. */
export function breakingChanges(before: GraphQLSchema, after: GraphQLSchema): BreakingChange[] {
  return [...changesOfTypes(before, after), ...changesOfDirectives(before, after)];
}

const whole = (name: string): string[] => [name, `${name}.*`];

function* changesOfTypes(before: GraphQLSchema, after: GraphQLSchema): Generator<BreakingChange> {
  for (const old of Object.values(before.getTypeMap())) {
    const { name } = old;
    if (name.startsWith('__')) continue;
    const now = after.getType(name);
    if (!now) yield { coordinate: name, message: `The type ${name} is removed`, affects: whole(name) };
    else if (old.constructor !== now.constructor) {
      yield { coordinate: name, message: `The type ${name} changes its kind`, affects: whole(name) };
    } else yield* changesWithin(old, now);
  }
}

function* changesWithin(old: GraphQLNamedType, now: GraphQLNamedType): Generator<BreakingChange> {
  const { name } = old;
  if (isEnumType(old) && isEnumType(now)) {
    for (const value of old.getValues()) {
      if (!now.getValue(value.name)) yield removed(`${name}.${value.name}`);
    }
  } else if (isUnionType(old) && isUnionType(now)) {
    const members = new Set(now.getTypes().map((each) => each.name));
    for (const member of old.getTypes()) {
      if (members.has(member.name)) continue;
      yield {
        coordinate: name,
        message: `${member.name} is no longer in the union ${name}`,
        affects: [...whole(member.name), name, ...member.getInterfaces().flatMap((each) => whole(each.name))],
      };
    }
  } else if (isInputObjectType(old) && isInputObjectType(now)) {
    if (now.isOneOf && !old.isOneOf)
      yield { coordinate: name, message: `${name} accepts exactly one of its fields`, affects: whole(name) };
    yield* changesOfInput(name, old.getFields(), now.getFields());
  } else if ((isObjectType(old) || isInterfaceType(old)) && (isObjectType(now) || isInterfaceType(now))) {
    const interfaces = new Set(now.getInterfaces().map((each) => each.name));
    for (const each of old.getInterfaces()) {
      if (interfaces.has(each.name)) continue;
      yield {
        coordinate: name,
        message: `${name} no longer implements ${each.name}`,
        affects: [...whole(name), ...whole(each.name)],
      };
    }
    for (const field of Object.values(old.getFields())) {
      const next = now.getFields()[field.name];
      if (next) yield* changesOfField(`${name}.${field.name}`, field, next);
      else yield removed(`${name}.${field.name}`);
    }
  }
}

const removed = (coordinate: string): BreakingChange => ({
  coordinate,
  message: `${coordinate} is removed`,
  affects: [coordinate],
});

type Field = GraphQLField<unknown, unknown>;

function* changesOfField(coordinate: string, old: Field, now: Field): Generator<BreakingChange> {
  if (!isSafeOutput(old.type, now.type)) {
    yield { coordinate, message: `${coordinate} has the type ${now.type} instead of ${old.type}`, affects: [coordinate] };
  }
  for (const argument of old.args) {
    const place = `${coordinate}(${argument.name}:)`;
    const next = now.args.find(({ name }) => name === argument.name);
    if (next) yield* changeOfType(place, coordinate, argument, next);
    else yield removed(place);
  }
  for (const argument of now.args) {
    if (old.args.some(({ name }) => name === argument.name) || !isRequiredArgument(argument)) continue;
    const place = `${coordinate}(${argument.name}:)`;
    yield { coordinate: place, message: `${place} is new and required`, affects: [coordinate] };
  }
}

type InputFields = Readonly<Record<string, GraphQLInputField>>;

function* changesOfInput(type: string, old: InputFields, now: InputFields): Generator<BreakingChange> {
  for (const field of Object.values(old)) {
    const place = `${type}.${field.name}`;
    const next = now[field.name];
    if (next) yield* changeOfType(place, type, field, next);
    else yield removed(place);
  }
  for (const field of Object.values(now)) {
    if (old[field.name] || !isRequiredInputField(field)) continue;
    yield { coordinate: `${type}.${field.name}`, message: `${type}.${field.name} is new and required`, affects: [type] };
  }
}

/** @param owner the field or input type whose uses may leave the input out */
function* changeOfType(
  coordinate: string,
  owner: string,
  old: GraphQLArgument | GraphQLInputField,
  now: GraphQLArgument | GraphQLInputField,
): Generator<BreakingChange> {
  const isNewlyRequired = isNonNullType(now.type) && now.defaultValue === undefined && !isRequired(old);
  if (isSafeInput(old.type, now.type) && !isNewlyRequired) return;
  const message = isSafeInput(old.type, now.type)
    ? `${coordinate} loses its default and is required`
    : `${coordinate} has the type ${now.type} instead of ${old.type}`;
  yield { coordinate, message, affects: isNewlyRequired ? [coordinate, owner] : [coordinate] };
}

const isRequired = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField) =>
  isNonNullType(type) && defaultValue === undefined;

/** Whether every value of the new type is one of the old type. */
function isSafeOutput(old: GraphQLType, now: GraphQLType): boolean {
  if (isNonNullType(now)) return isSafeOutput(isNonNullType(old) ? old.ofType : old, now.ofType);
  if (isNonNullType(old)) return false;
  if (isListType(old)) return isListType(now) && isSafeOutput(old.ofType, now.ofType);
  return isNamedType(old) && isNamedType(now) && old.name === now.name;
}

/** Whether the new type accepts every value of the old type. */
function isSafeInput(old: GraphQLType, now: GraphQLType): boolean {
  if (isNonNullType(old)) return isSafeInput(old.ofType, isNonNullType(now) ? now.ofType : now);
  if (isNonNullType(now)) return false;
  if (isListType(old)) return isListType(now) && isSafeInput(old.ofType, now.ofType);
  return isNamedType(old) && isNamedType(now) && old.name === now.name;
}

/** The uses of directives are not counted. */
function* changesOfDirectives(before: GraphQLSchema, after: GraphQLSchema): Generator<BreakingChange> {
  const standard = new Set(specifiedDirectives.map(({ name }) => name));
  for (const old of before.getDirectives().filter(({ name }) => !standard.has(name))) {
    const coordinate = `@${old.name}`;
    const now = after.getDirective(old.name);
    // Directives of definitions are not used by operations.
    if (!old.locations.some((location) => executable.has(location))) continue;
    if (!now) yield { coordinate, message: `${coordinate} is removed` };
    else if (
      old.locations.some((location) => executable.has(location) && !now.locations.includes(location)) ||
      old.args.some(({ name, type }) => {
        const next = now.args.find((each) => each.name === name);
        return !next || !isSafeInput(type, next.type);
      }) ||
      now.args.some((each) => isRequiredArgument(each) && !old.args.some(({ name }) => name === each.name))
    ) {
      yield { coordinate, message: `${coordinate} accepts less than before` };
    }
  }
}

const executable: ReadonlySet<string> = new Set([
  'QUERY',
  'MUTATION',
  'SUBSCRIPTION',
  'FIELD',
  'FRAGMENT_DEFINITION',
  'FRAGMENT_SPREAD',
  'INLINE_FRAGMENT',
  'VARIABLE_DEFINITION',
]);
