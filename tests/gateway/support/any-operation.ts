import * as fc from 'fast-check';
import type {
  GraphQLCompositeType,
  GraphQLField,
  GraphQLInputType,
  GraphQLObjectType,
  GraphQLSchema,
  OperationTypeNode,
} from 'graphql';
import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import { integers } from './integers.ts';
import type { Generated } from './operations.ts';

export interface Habits {
  /** `@skip` and `@include`. Apollo's planner drops unconditional fields next to them. */
  conditions: boolean;
  /** Alias fields to names of other fields. Apollo's planner confuses them. */
  clashes: boolean;
  /** Subscriptions instead of queries and mutations. */
  events?: boolean;
  /** `@defer` on fragments. */
  defers?: boolean;
}

type Gen = fc.GeneratorValue;

/** Random operations for any schema, generated from its types. Their response keys may conflict: validate them before use. */
export const anyOperation = (schema: GraphQLSchema, habits: Habits): fc.Arbitrary<Generated> =>
  fc.gen().map((gen) => new Writer(schema, habits, gen).operation());

class Writer {
  private readonly fragments: string[] = [];
  private readonly definitions = new Map<string, string>();
  private readonly variables: Record<string, unknown> = {};
  private labels = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly habits: Habits,
    private readonly gen: Gen,
  ) {}

  operation(): Generated {
    const kind = this.habits.events ? 'subscription' : this.chance(15) ? 'mutation' : 'query';
    const root = this.schema.getRootType(kind as OperationTypeNode)!;
    const text = [this.habits.events ? this.subscribed(root) : this.selections(root, 0), ...this.fragments].join('\n');
    const definitions = [...this.definitions].map(([name, type]) => `$${name}: ${type}`).join(', ');
    return { text: `${kind} Generated${definitions && `(${definitions})`} ${text}`, variables: this.variables };
  }

  /** A subscription has one field without conditions. */
  private subscribed(root: GraphQLObjectType): string {
    const field = this.oneOf(Object.values(root.getFields()));
    return `{ ${this.field(root, field, 0, '')} }`;
  }

  private selections(type: GraphQLCompositeType, depth: number): string {
    const count = this.pick(1, depth > 4 ? 2 : 4);
    const selections = Array.from({ length: count }, () => this.selection(type, depth)).filter(Boolean);
    return `{ ${selections.length > 0 ? selections.join(' ') : '__typename'} }`;
  }

  private selection(type: GraphQLCompositeType, depth: number): string {
    if (this.chance(6)) return `${this.chance(40) ? 'kind_: ' : ''}__typename${this.condition()}`;
    if (isUnionType(type) || this.chance(isAbstractType(type) ? 55 : this.habits.defers ? 35 : 10))
      return this.fragment(type, depth);
    const fields = Object.values(type.getFields()).filter((field) => depth < 6 || isLeafType(getNamedType(field.type)));
    return fields.length === 0 ? '' : this.field(type, this.oneOf(fields), depth);
  }

  private fragment(type: GraphQLCompositeType, depth: number): string {
    const types = isAbstractType(type) ? [type, ...this.schema.getPossibleTypes(type)] : [type, ...type.getInterfaces()];
    const target = this.oneOf<GraphQLCompositeType>(types);
    // Apollo drops `... on Book` inside `... on Item` if it did not fetch __typename.
    const named = isAbstractType(target) && !isAbstractType(type);
    const body = this.selections(target, depth + 1).replace('{', named ? '{ __typename' : '{');
    const defer = this.deferral(type);
    if (!this.chance(35)) return `... ${this.chance(90) ? `on ${target.name}` : ''}${this.condition()}${defer} ${body}`;
    const name = `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on ${target.name} ${body}`);
    return `...${name}${this.condition()}${defer}`;
  }

  private field(
    type: GraphQLCompositeType,
    field: GraphQLField<unknown, unknown>,
    depth: number,
    condition = this.condition(),
  ): string {
    const named = getNamedType(field.type);
    const args = field.args
      .filter((arg) => isRequiredArgument(arg) || this.chance(50))
      .map((arg) => `${arg.name}: ${this.input(arg.type, 0)}`);
    const body = isCompositeType(named) ? ` ${this.selections(named, depth + 1)}` : '';
    return `${this.alias(type, field, args)}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${condition}${body}`;
  }

  private alias(type: GraphQLCompositeType, field: GraphQLField<unknown, unknown>, args: string[]): string {
    if (this.habits.clashes && this.chance(25) && !isUnionType(type))
      return `${this.oneOf([...Object.keys(type.getFields()), '__typename'])}: `;
    // Different arguments need different keys.
    if (field.args.length > 0 && !(this.habits.clashes && args.length === 0))
      return `${field.name}_${args.join('_').replace(/\W+/g, '_')}: `;
    return this.chance(20) ? `${field.name}_x: ` : '';
  }

  private condition(): string {
    if (!this.habits.conditions || !this.chance(12)) return '';
    return ` ${this.oneOf(['@skip', '@include'])}(if: ${this.chance(30) ? this.oneOf(['true', 'false']) : this.switch()})`;
  }

  private deferral(type: GraphQLCompositeType): string {
    if (!this.habits.defers || type === this.schema.getMutationType() || !this.chance(50)) return '';
    const label = this.chance(50) ? `label: "${this.labels++}"` : '';
    const condition = this.chance(20) ? `if: ${this.chance(50) ? this.oneOf(['true', 'false']) : this.switch()}` : '';
    return ` @defer${label || condition ? `(${label} ${condition})` : ''}`;
  }

  private switch(): string {
    const name = this.oneOf(['yes', 'no']);
    this.definitions.set(name, name === 'no' ? 'Boolean! = false' : 'Boolean!');
    if (name === 'yes' || this.chance(50)) this.variables[name] ??= this.chance(60);
    return `$${name}`;
  }

  private input(type: GraphQLInputType, depth: number): string {
    if (this.chance(20)) return this.variable(type);
    if (isNonNullType(type)) return this.present(type.ofType, depth);
    return this.chance(10) ? 'null' : this.present(type, depth);
  }

  private present(type: GraphQLInputType, depth: number): string {
    if (isNonNullType(type)) return this.present(type.ofType, depth);
    if (isListType(type)) {
      if (this.chance(20)) return this.present(type.ofType, depth);
      return `[${Array.from({ length: this.pick(0, 2) }, () => this.input(type.ofType, depth)).join(', ')}]`;
    }
    if (isEnumType(type)) return this.oneOf(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((each) => isRequiredInputField(each) || (depth < 2 && this.chance(50)));
      return `{ ${fields.map((each) => `${each.name}: ${this.input(each.type, depth + 1)}`).join(', ')} }`;
    }
    return JSON.stringify(this.leaf(type.name));
  }

  private variable(type: GraphQLInputType): string {
    const name = `v${this.definitions.size}`;
    const optional = !isNonNullType(type);
    this.definitions.set(name, `${type}${optional && isLeafType(type) && this.chance(30) ? ` = ${this.present(type, 0)}` : ''}`);
    if (!optional || this.chance(60)) this.variables[name] = this.value(type, 0);
    return `$${name}`;
  }

  private value(type: GraphQLInputType, depth: number): unknown {
    if (isNonNullType(type)) return this.value(type.ofType, depth);
    if (isListType(type)) return Array.from({ length: this.pick(0, 2) }, () => this.value(type.ofType, depth));
    if (isEnumType(type)) return this.oneOf(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((each) => isRequiredInputField(each) || (depth < 2 && this.chance(50)));
      return Object.fromEntries(fields.map((each) => [each.name, this.value(each.type, depth + 1)]));
    }
    return this.leaf(type.name);
  }

  private leaf(name: string): unknown {
    if (name === 'Int') return this.pick(0, 6);
    if (name === 'Float') return this.pick(0, 6) / 2;
    if (name === 'Boolean') return this.chance(50);
    return this.oneOf(['User0', 'Book1', 'gone', 'x"y']);
  }

  /** Select by index, because fast-check compares its options and types have cycles. */
  private oneOf<T>(list: readonly T[]): T {
    return list[this.pick(0, list.length - 1)]!;
  }

  private pick(min: number, max: number): number {
    return this.gen(integers(min, max));
  }

  private chance(percent: number): boolean {
    return this.pick(0, 99) < percent;
  }
}
