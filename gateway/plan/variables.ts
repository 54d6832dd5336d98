import type { GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { isNonNullType, typeFromAST, valueFromAST } from 'graphql';
import { fail } from '../errors.ts';
import { compileInput } from './coerce.ts';
import { Faults } from './faults.ts';
import type { Scalars } from './leaves.ts';
import { compileLimits, type Limits } from './limits.ts';
import type { Data } from './run.ts';

/** Validates and coerces the variables of a caller. Throws one `INVALID_INPUT` with all faults. */
export type ReadVariables = (given: Readonly<Data>) => Readonly<Data>;

export function compileVariables(
  definition: OperationDefinitionNode,
  schema: GraphQLSchema,
  scalars: Scalars,
  limits: Limits = () => [],
): ReadVariables {
  const { variableDefinitions = [] } = definition;
  const brokenLimits = compileLimits(definition, schema, limits);
  const inputs = new Map();
  const readers = variableDefinitions.map(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node) as GraphQLInputType;
    const name = variable.name.value;
    return {
      name,
      required: isNonNullType(type) && !defaultValue,
      fallback: defaultValue && valueFromAST(defaultValue, type),
      read: compileInput(type, scalars, inputs),
      // REST bodies fill the variable `input`; their callers know only its fields.
      segment: name === 'input' ? '' : name,
    };
  });

  return (given) => {
    const faults = new Faults();
    // Without a prototype, an absent variable named `constructor` is undefined.
    const variables: Data = Object.create(null);
    for (const { name, required, fallback, read, segment } of readers) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined) {
        if (required) faults.add('is required', name);
        else if (fallback !== undefined) variables[name] = fallback;
        continue;
      }
      const before = faults.count;
      variables[name] = read(value, faults, 0);
      if (faults.count > before) faults.under(segment, before, name);
    }
    if (faults.count > 0) throw fail('INVALID_INPUT', faults.sentence(brokenLimits(given)));
    return variables;
  };
}
