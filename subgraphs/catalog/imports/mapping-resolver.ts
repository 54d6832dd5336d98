import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Deleted } from '../attributes/entity.ts';
import { askImportMapping } from './ask-columns.ts';
import { ImportMapping } from './mapping-entity.ts';
import {
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

  @ListSize(MAX_TABLES)
  @Mutation(() => [ImportTableProposal], {
    description:
      'Like `proposeImportMapping` for one file, where a model says what the columns contain that nothing else matched. Costs 1 credit, or nothing if there are no such columns.',
  })
  askImportMapping(@Ctx() scope: RequestScope, @Id('uploadedFileId') uploadedFileId: string) {
    return askImportMapping(scope, uploadedFileId);
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
