import 'reflect-metadata';
import type { GraphQLResolverMap } from '@apollo/subgraph';
import {
  Arg,
  Args,
  ArgsType,
  buildSchema,
  Ctx,
  createResolversMap,
  Field,
  InputType,
  Int,
  type MiddlewareFn,
  Query,
  Resolver,
  UseMiddleware,
} from 'type-graphql';
import { checkLimits, Limited } from '../../platform/fields/declare.ts';
import { replaceHandlers } from '../../platform/subgraph/patches/type-graphql.ts';

@InputType()
class Part {
  @Limited({ maxLength: 3, notNull: true })
  @Field(() => String, { nullable: true })
  text?: string | null;
}

@InputType()
abstract class Base {
  @Limited({ min: 2, max: 5 })
  @Field(() => Int, { nullable: true })
  count?: number | null;

  @Field(() => [Part], { nullable: true })
  parts?: Part[] | null;
}

@InputType()
class Tree extends Base {
  @Limited({ maxItems: 2, maxLength: 2, faults: faultsOfTags })
  @Field(() => [String], { nullable: true })
  tags?: string[] | null;

  @Limited({ minLength: 1 })
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => Tree, { nullable: true })
  tree?: Tree | null;

  @Limited({ maxItems: 2 })
  @Field(() => [Tree], { nullable: true })
  trees?: Tree[] | null;
}

function* faultsOfTags(tags: unknown, path: string) {
  if (Array.isArray(tags) && tags.includes('x')) yield `${path} must not have x`;
}

@ArgsType()
class Paged {
  @Limited({ max: 4 })
  @Field(() => Int, { defaultValue: 3 })
  limit!: number;
}

@ArgsType()
class TreeArguments extends Paged {
  @Field(() => Tree, { nullable: true })
  tree?: Tree | null;

  @Limited({ minItems: 1 })
  @Field(() => [Tree], { nullable: true })
  trees?: Tree[] | null;
}

@Resolver()
class Trees {
  @Query(() => String)
  byArguments(@Args(() => TreeArguments) given: TreeArguments): unknown {
    return [given];
  }

  @Query(() => String)
  byArgument(
    @Arg('tree', () => Tree, { nullable: true }) tree?: Tree | null,
    @Arg('trees', () => [Tree], { nullable: true }) trees?: Tree[] | null,
    @Arg('limit', () => Int, { nullable: true }) limit?: number | null,
  ): unknown {
    return [tree, trees, limit];
  }
}

const seen: unknown[] = [];

/** Replaces the context of the method, and its result if the argument is `outer`. */
const around: MiddlewareFn = async (action, next) => {
  seen.push(action.context);
  action.context = { changed: true };
  const inner = await next();
  return action.args.text === 'outer' ? ['outer', inner] : undefined;
};

@Resolver()
class Surrounded {
  @UseMiddleware(around)
  @Query(() => String)
  surrounded(@Ctx() context: unknown, @Arg('text', () => String) text: string): unknown {
    if (text === 'fault') throw new Error('fault');
    return [context, text];
  }
}

type Resolve = (root: object, args: object, scope: object, info: object) => unknown;
type Fields = Record<'byArguments' | 'byArgument' | 'surrounded', Resolve>;

const schema = await buildSchema({
  authChecker: () => true,
  resolvers: [Trees, Surrounded],
  validateFn: checkLimits,
  skipCheck: true,
});
const { Query: original } = createResolversMap(schema) as unknown as { Query: Fields };
const { Query: compiled } = { Query: { ...original } };
replaceHandlers({ Query: compiled } as unknown as GraphQLResolverMap<unknown>, [Trees, Surrounded], () => {});

/** The same numbers between 0 and 1 in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

const random = randomFrom(34);
const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const listOf = <T>(make: () => T): T[] => Array.from({ length: Math.floor(random() * 4) }, make);

/** An object with some of the fields, in any order. */
function some(fields: Record<string, () => unknown>): Record<string, unknown> {
  const names = Object.keys(fields).sort(() => random() - 0.5);
  return Object.fromEntries(names.filter(() => random() < 0.5).map((name) => [name, random() < 0.15 ? null : fields[name]!()]));
}

const partOf = () => some({ text: () => oneOf(['a', 'abc', 'abcd']) });

const treeOf = (depth = 0): Record<string, unknown> =>
  some({
    count: () => oneOf([1, 2, 5, 6]),
    parts: () => listOf(partOf),
    tags: () => listOf(() => oneOf(['x', 'yy', 'zzz'])),
    name: () => oneOf(['', 'n']),
    ...(depth < 3 && { tree: () => treeOf(depth + 1), trees: () => listOf(() => treeOf(depth + 1)) }),
  });

/** The value or the error of a resolver, with the names of the fields in order. */
async function outcome(resolve: Resolve, args: object): Promise<unknown> {
  try {
    const given = await resolve({}, args, {}, {});
    return { given, text: JSON.stringify(given) };
  } catch (error) {
    return (error as Error).message;
  }
}

test.each(['byArguments', 'byArgument'] as const)(
  'inputs are converted and limited as by type-graphql itself: %s',
  async (name) => {
    expect(compiled[name]).not.toBe(original[name]);
    const outcomes = new Set<string>();
    for (let at = 0; at < 2_000; at += 1) {
      const args = some({ tree: treeOf, trees: () => listOf(treeOf), limit: () => oneOf([3, 4, 5]) });
      const expected = await outcome(original[name], args);
      expect(await outcome(compiled[name], args)).toStrictEqual(expected);
      outcomes.add(typeof expected);
    }
    expect([...outcomes].sort()).toEqual(['object', 'string']);
  },
);

test.each(['inner', 'outer', 'fault'])('middleware surrounds a method as by type-graphql itself: %s', async (text) => {
  expect(compiled.surrounded).not.toBe(original.surrounded);
  const [expected, actual] = [await outcome(original.surrounded, { text }), await outcome(compiled.surrounded, { text })];
  expect(actual).toStrictEqual(expected);
  expect(seen.splice(0)).toEqual([{}, {}]);
});
