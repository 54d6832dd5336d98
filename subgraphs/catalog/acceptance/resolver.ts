import { Arg, Args, Authorized, Ctx, FieldResolver, Float, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { args, field, list } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { pageArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { UndoneAcceptances, undoAcceptances } from './accept-values.ts';
import * as report from './acceptance-report.ts';
import { AcceptanceReport, AcceptanceRulePage } from './acceptance-report.ts';
import { AcceptanceDefaults, AcceptanceRule, AutoAcceptDefault, readDefaults, setDefault } from './entity.ts';
import { MAX_UNJUDGED } from './rule-audit.ts';

class ReportArguments extends args({
  modelType: field(enumTypes.ModelType, { defaultValue: 'budget-v1' }),
  precision: field(Float, { min: 0.5, max: 1, defaultValue: 0.95, description: 'The precision of `attributes`, 0.5 to 1.' }),
}) {}

class RulesArguments extends pageArguments(20) {}

class UndoArguments extends args({
  ruleIds: list(ID, { minItems: 1, maxItems: 500, description: 'Versions of rules.' }),
  since: field(Date, { nullable: true, description: 'Only values that were accepted after this time.' }),
}) {}

@Access('member')
@Resolver(() => AcceptanceRule)
export class AcceptanceResolver {
  @Query(() => AcceptanceReport, {
    description: 'How many open values rules would accept without a person, by the precision, and how many reviews are missing.',
  })
  acceptanceReport(@Ctx() scope: RequestScope, @Args(() => ReportArguments) { modelType, precision }: ReportArguments) {
    return report.readAcceptanceReport(scope, modelType, precision);
  }

  @Query(() => AcceptanceRulePage, { description: 'The versions of the rules that accept values without a person, newest first.' })
  acceptanceRules(@Ctx() scope: RequestScope, @Args(() => RulesArguments) page: RulesArguments) {
    return report.listRules(scope, page);
  }

  @Query(() => AcceptanceDefaults, {
    description: 'The defaults of the organization for values that are accepted without a person.',
  })
  acceptanceDefaults(@Ctx() scope: RequestScope) {
    return readDefaults(scope);
  }

  @Authorized('admin')
  @Mutation(() => AcceptanceDefaults, {
    description: 'Set the precision at which later jobs accept values without a person, and the share that is audited.',
  })
  setAutoAcceptDefault(@Ctx() scope: RequestScope, @Arg('input', () => AutoAcceptDefault) input: AutoAcceptDefault) {
    return setDefault(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => UndoneAcceptances, {
    description: 'Put values that rules accepted back into the review queue. Values that changed since stay as they are.',
  })
  undoAcceptances(@Ctx() scope: RequestScope, @Args(() => UndoArguments) { ruleIds, since }: UndoArguments) {
    return undoAcceptances(scope, ruleIds, since ?? null);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The slug of the attribute. Null for the rule of attributes with few judgments.',
  })
  slug(@Root() rule: AcceptanceRule) {
    return report.slugOf(rule);
  }

  @FieldResolver(() => Int, { description: 'Values that the rule accepted and that nobody has decided since.' })
  accepted(@Ctx() scope: RequestScope, @Root() rule: AcceptanceRule) {
    return report.acceptedBy(scope, rule);
  }

  @FieldResolver(() => Int, { description: 'Audited values that people have judged.' })
  async audited(@Ctx() scope: RequestScope, @Root() rule: AcceptanceRule) {
    return (await report.auditOf(scope, rule)).judged;
  }

  @FieldResolver(() => Int, { description: 'How many of the audited values were right.' })
  async auditedRight(@Ctx() scope: RequestScope, @Root() rule: AcceptanceRule) {
    return (await report.auditOf(scope, rule)).right;
  }

  @FieldResolver(() => Int, {
    description: `Audited values of all versions that nobody has judged, counted up to ${MAX_UNJUDGED}. 0 if the rule is broken.`,
  })
  unjudged(@Ctx() scope: RequestScope, @Root() rule: AcceptanceRule) {
    return report.unjudgedOf(scope, rule);
  }

  @FieldResolver(() => Boolean, {
    description: `Whether the rule accepts nothing more until people judge audited values, because ${MAX_UNJUDGED} of them are not judged.`,
  })
  async isPaused(@Ctx() scope: RequestScope, @Root() rule: AcceptanceRule) {
    return (await report.unjudgedOf(scope, rule)) >= MAX_UNJUDGED;
  }

  @FieldResolver(() => Int, { description: 'Values that the rule accepted since its audits went wrong. 0 unless it is broken.' })
  doubtful(@Ctx() scope: RequestScope, @Root() rule: AcceptanceRule) {
    return report.doubtfulOf(scope, rule);
  }
}
