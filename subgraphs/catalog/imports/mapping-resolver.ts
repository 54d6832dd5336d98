import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { moveCredits } from '../../../platform/credits/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { inBackground, ProviderFault, ProviderRefusal } from '../../../platform/model/index.ts';
import { detached, type RequestScope } from '../../../platform/scope/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { slugOf, truncate } from '../../../schema/text.ts';
import { Deleted } from '../attributes/entity.ts';
import { listAttributes } from '../attributes/service.ts';
import { type ColumnsRequest, type NamedColumn, nameColumns } from '../extraction/name-columns.ts';
import {
  type ImportColumnInput,
  ImportMapping,
  ImportMappingPage,
  ImportMappingsArguments,
  ImportTableProposal,
  MAX_TABLES,
  NewImportMapping,
  ProposalArguments,
} from './mapping-types.ts';
import { proposeImportMapping } from './propose-mapping.ts';
import * as saved from './saved-mappings.ts';

@Access('member')
@Resolver(() => ImportMapping)
export class ImportMappingResolver {
  @ListSize(MAX_TABLES)
  @Query(() => [ImportTableProposal], {
    nullable: true,
    description:
      'The first 20 tables of uploaded files, with a proposed use of each column and the first rows as an import would read them. Reads no more than the first page of a table, and starts nothing.',
  })
  proposeImportMapping(@Ctx() scope: RequestScope, @Args(() => ProposalArguments) request: ProposalArguments) {
    return proposeImportMapping(scope, request);
  }

  /**
   * Proposes the uses of the columns of a file, where a model says what nothing else matched. Without such columns, it asks nothing and
   * costs nothing. A request that fails is refunded. Throws `OUT_OF_CREDITS`, and `UNAVAILABLE` if the model cannot answer.
   */
  @ListSize(MAX_TABLES)
  @Mutation(() => [ImportTableProposal], {
    description:
      'Like `proposeImportMapping` for one file, where a model says what the columns contain that nothing else matched. Costs 1 credit, or nothing if there are no such columns.',
  })
  async askImportMapping(@Ctx() scope: RequestScope, @Id('uploadedFileId') uploadedFileId: string): Promise<ImportTableProposal[]> {
    const uploadedFileIds = [uploadedFileId];
    const tables = await proposeImportMapping(scope, { uploadedFileIds });
    const columns = tables.flatMap(({ columns: all }) => all.filter(({ reason }) => reason === null)).slice(0, MAX_ASKED);
    if (columns.length === 0) return tables;
    const { model } = scope.services;
    if (!model) throw fail('UNAVAILABLE', 'No model provider is configured.');
    const taken = new Set<string>(
      tables.flatMap(({ columns: all }) => all.flatMap(({ field }) => (field === 'parent' ? [] : (field ?? [])))),
    );
    const used = new Set(tables.flatMap(({ columns: all }) => all.flatMap(({ attribute }) => attribute?.id ?? [])));
    const attributes = (await listAttributes(scope, 'product')).filter(({ id, isActive }) => isActive && !used.has(id));
    const request: ColumnsRequest = {
      file: tables[0]!.file,
      columns: columns.map(({ column, samples }) => ({ column, samples: samples.map((cell) => truncate(cell, MAX_SAMPLE)) })),
      fields: enums.ImportField.values.filter((field) => !taken.has(field)),
      attributes: attributes.slice(0, MAX_NAMED).map(({ slug, name, type, unit }) => ({ slug, name, type, unit })),
      signal: scope.signal,
    };
    const named = await paid(scope, () => inBackground(scope.organizationId, () => nameColumns(model, request)));
    const ids = new Map(attributes.map(({ slug, id }) => [slug, id]));
    const asked = [...named].map(([column, name]) => inputOf(column, name, ids));
    return proposeImportMapping(scope, { uploadedFileIds }, asked);
  }

  @Query(() => ImportMappingPage, { description: 'The saved mappings of columns, by the name of the supplier.' })
  importMappings(
    @Ctx() scope: RequestScope,
    @Args(() => ImportMappingsArguments) page: ImportMappingsArguments,
    @Info() info: GraphQLResolveInfo,
  ) {
    return saved.listImportMappings(scope, page, info);
  }

  @Mutation(() => ImportMapping, {
    description:
      'Save a mapping for a supplier. Files with the same columns are found again in any order of the columns, and its attributes are known by their headers in other files.',
  })
  saveImportMapping(@Ctx() scope: RequestScope, @Arg('input', () => NewImportMapping) input: NewImportMapping) {
    return saved.saveImportMapping(scope, input);
  }

  @Mutation(() => Deleted, { description: 'Delete a saved mapping. Later files no longer know its columns.' })
  deleteImportMapping(@Ctx() scope: RequestScope, @Id() id: string) {
    return saved.deleteImportMapping(scope, id);
  }
}

/** Columns of a file that one request asks about. */
const MAX_ASKED = 100;
/** The price of a page that a budget model reads. */
const PRICE = 1;

const inputOf = (
  column: string,
  { field, attribute, newAttribute, unit }: NamedColumn,
  ids: ReadonlyMap<string, string>,
): ImportColumnInput => ({
  column,
  field: field as EnumValue<'ImportField'> | null,
  attributeId: attribute && ids.get(attribute),
  newAttribute: newAttribute && { ...newAttribute, slug: slugOf(newAttribute.name, 128) || 'attribute' },
  unit,
  isIgnored: false,
});

/** Charges for work, and gives the credits back if it fails. */
async function paid<T>(scope: RequestScope, work: () => Promise<T>): Promise<T> {
  const reference = `columns:${uuid()}`;
  const reason = 'proposal for columns';
  if (!(await moveCredits(scope, { amount: -PRICE, reason, reference })))
    throw fail('OUT_OF_CREDITS', 'Credit balance limit has been reached.');
  return work().catch(async (error: unknown) => {
    // A caller who has left has aborted the statements of the request.
    const lasting = detached({ organizationId: scope.organizationId, services: scope.services });
    await moveCredits(lasting, { amount: PRICE, reason: `failed ${reason}`, reference: `refund:${reference}` });
    if (error instanceof ProviderFault || error instanceof ProviderRefusal)
      throw fail('UNAVAILABLE', 'The model could not answer. Please try again, or assign the columns yourself.');
    throw error;
  });
}

/** Characters of a cell, and attributes, that a request contains. */
const [MAX_SAMPLE, MAX_NAMED] = [200, 300];
