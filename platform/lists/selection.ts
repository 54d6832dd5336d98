import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** Whether an operation selects a field of the object that is being resolved. */
export function isSelected({ fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>, name: string): boolean {
  const within = ({ selections }: SelectionSetNode): boolean =>
    selections.some((each) => {
      if (each.kind === Kind.FIELD) return each.name.value === name;
      const part = each.kind === Kind.INLINE_FRAGMENT ? each : fragments[each.name.value];
      return part !== undefined && within(part.selectionSet);
    });
  return fieldNodes.some(({ selectionSet }) => selectionSet !== undefined && within(selectionSet));
}
