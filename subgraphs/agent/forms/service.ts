import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import {
  type Bind,
  conflictIfTaken,
  deleteById,
  findById,
  lockName,
  query,
  readById,
  readRows,
  sql,
} from '../../../platform/database/index.ts';
import { checkFields, checkValues, Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { emitEvent } from '../agent-events.ts';
import { findAgent, lockAgent } from '../agents/service.ts';
import { lockForRecord } from '../contacts/service.ts';
import { RecentList } from '../recent-arguments.ts';
import { agentNameOf, nextRecordTime, readRecent } from '../recent-list.ts';
import {
  CustomForm,
  CustomFormChange,
  CustomFormSubmission,
  DeletedCustomForm,
  FormSubmissionsArguments,
  FormSummary,
  NewCustomForm,
} from './entity.ts';

@Access('admin')
@Resolver(() => CustomForm)
export class CustomFormResolver {
  @Authorized('member')
  @ListSize(100)
  @Query(() => [FormSummary], {
    description: 'The enabled custom forms, sorted by name. Forms of several agents that share a name appear once.',
  })
  async customForms(
    @Ctx() scope: RequestScope,
    @Arg('agentId', () => ID, { nullable: true }) agentId?: string,
  ): Promise<FormSummary[]> {
    if (agentId) await findAgent(scope, agentId);
    const isFirst = (bind: Bind) =>
      `r.id in (select distinct on (name) id from agent.forms where organization_id = ${bind(scope.organizationId)} and enabled
                   and ${agentId ? `agent_id = ${bind(agentId)}` : NOT_OF_DRAFT} order by name, created_at, id)`;
    const rows = await readRows(
      scope,
      CustomForm,
      {
        columns: ['name', 'title', 'agentId'],
        joined: { agentName: '(select a.name from agent.agents a where a.id = r.agent_id)' },
        matching: isFirst,
        orderBy: { name: 'asc' },
      },
      { limit: MAX_LISTED, offset: 0 },
    );
    return rows as unknown as FormSummary[];
  }

  /** All forms of an agent, sorted by name. Throws `NOT_FOUND` for an unknown agent. */
  @ListSize(20)
  @Query(() => [CustomForm], { nullable: true, description: 'All custom forms of an agent, sorted by name.' })
  async agentForms(@Ctx() scope: RequestScope, @Id('agentId') agentId: string): Promise<CustomForm[]> {
    await findAgent(scope, agentId);
    return readRows(scope, CustomForm, { where: { agentId }, orderBy: { name: 'asc' } }, { limit: MAX_FORMS, offset: 0 });
  }

  /** Throws `CONFLICT` for a taken name, and `LIMIT_REACHED` at 50 forms. */
  @Idempotent()
  @Mutation(() => CustomForm, { description: 'Create a custom form. An agent can have up to 50.' })
  createCustomForm(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('input', () => NewCustomForm) input: NewCustomForm,
  ): Promise<CustomForm> {
    checkFields(input.fields);
    return transaction(scope, async (inner) => {
      const agent = await findAgent(inner, agentId);
      await lockAgent(inner, agent.id);
      // The lock keeps the count valid until the commit.
      await lockName(inner.em, `forms of ${agent.id}`);
      if ((await inner.em.count(CustomForm, { agentId: agent.id })) >= MAX_FORMS)
        throw fail('LIMIT_REACHED', `Form limit reached. An agent can have up to ${MAX_FORMS} forms.`);
      const form = inner.em.create(CustomForm, { ...input, agentId: agent.id, organizationId: scope.organizationId });
      await inner.em.flush();
      return form;
    }).catch(conflictIfTaken(`A form with the name ${input.name} already exists.`));
  }

  @Mutation(() => CustomForm, { description: 'Change a custom form. Submissions stay as they were received.' })
  async updateCustomForm(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('input', () => CustomFormChange) { title, fields, enabled }: CustomFormChange,
  ): Promise<CustomForm> {
    if (fields) checkFields(fields);
    return changing(scope, id, async ({ em }) => {
      const form = await findById(em, CustomForm, id, 'Form');
      form.title = title ?? form.title;
      form.fields = fields ?? form.fields;
      form.enabled = enabled ?? form.enabled;
      await em.flush();
      return form;
    });
  }

  @Mutation(() => DeletedCustomForm, { description: 'Delete a custom form. Its submissions stay.' })
  deleteCustomForm(@Ctx() scope: RequestScope, @Id() id: string) {
    return changing(scope, id, ({ em }) => deleteById(em, CustomForm, id, 'Form'));
  }

  @Authorized('member')
  @RecentList()
  @Query(() => [CustomFormSubmission], { description: 'The submissions of custom forms, newest first.' })
  customFormSubmissions(
    @Ctx() scope: RequestScope,
    @Args(() => FormSubmissionsArguments) { formName, ...recent }: FormSubmissionsArguments,
  ): Promise<CustomFormSubmission[]> {
    return readRecent<CustomFormSubmission>(
      scope,
      CustomFormSubmission,
      { columns: SUBMISSION_COLUMNS, where: formName ? { formName } : {} },
      recent,
    );
  }
}

@Resolver(() => CustomFormSubmission)
export class CustomFormSubmissionResolver {
  @FieldResolver(() => String)
  agentName(@Ctx() scope: RequestScope, @Root() submission: CustomFormSubmission) {
    return agentNameOf(scope, submission);
  }

  @FieldResolver(() => GraphQLJSONObject, {
    description: 'The labels of the fields by field name, as the form has them now; empty for a deleted form.',
  })
  labels(@Ctx() scope: RequestScope, @Root() { id }: CustomFormSubmission) {
    return labelsOf(scope, id);
  }
}

const MAX_FORMS = 50;
/** Maximum names of forms of an organization in one list. */
const MAX_LISTED = 1_000;

/** SQL condition of forms that visitors can see once they are enabled. */
const NOT_OF_DRAFT = 'not exists (select from agent.agents a where a.id = agent_id and a.draft_of is not null)';

/** The forms of an agent that visitors see, sorted by name. */
export const listEnabledForms = (scope: Scope, agentId: string): Promise<CustomForm[]> =>
  readRows(scope, CustomForm, { where: { agentId, enabled: true }, orderBy: { name: 'asc' } }, { limit: MAX_FORMS, offset: 0 });

/** Runs a change of a form after the other changes of its agent. Throws `NOT_FOUND`. */
async function changing<T>(scope: Scope, id: string, change: (inner: Scope) => Promise<T>): Promise<T> {
  const { agentId } = await readById(scope, CustomForm, id, 'Form', { columns: ['agentId'] });
  return transaction(scope, async (inner) => {
    await lockAgent(inner, agentId);
    return change(inner);
  });
}

const SUBMISSION_COLUMNS = ['id', 'formName', 'values', 'conversationId', 'agentId', 'agentName', 'createdAt'] as const;

interface Submission {
  agentId: string;
  formName: string;
  values: Readonly<Record<string, unknown>>;
  conversationId?: string | null;
}

/**
 * The only place that writes submissions, so every submission has its event. Runs in the transaction of the scope. Throws `NOT_FOUND` for
 * a form that is unknown or disabled and for a deleted conversation, and `INVALID_INPUT` for values that its fields reject.
 */
export async function insertSubmission(scope: Scope, given: Submission): Promise<CustomFormSubmission> {
  const agent = await findAgent(scope, given.agentId);
  const form = await scope.em.findOne(CustomForm, { agentId: agent.id, name: given.formName, enabled: true });
  if (!form) throw fail('NOT_FOUND', 'Form not found');
  const checked = checkValues(form.fields, given.values);
  if (given.conversationId) await lockForRecord(scope, given.conversationId);
  const submission = scope.em.create(CustomFormSubmission, {
    organizationId: scope.organizationId,
    formName: form.name,
    values: checked,
    conversationId: given.conversationId ?? null,
    agentId: agent.id,
    agentName: agent.name,
    createdAt: await nextRecordTime(scope, 'submission'),
  });
  await scope.em.flush();
  const { id, formName, values, conversationId, createdAt } = submission;
  const record = { id, formName, values, conversationId, agentName: agent.name, createdAt };
  // The fields of the record come first, and win.
  await emitEvent(scope, 'form.submitted', submission, { ...record, ...values, ...record });
  return submission;
}

/** The labels of the fields of a submission by field name, as the form has them now. Batches a list into one query. */
async function labelsOf(scope: RequestScope, submissionId: string): Promise<Record<string, string>> {
  const read = scope.batch('form labels', async (ids) => {
    const found = await query(
      scope.em,
      sql<{ id: string; labels: Record<string, string> }>`
        select s.id, (select jsonb_object_agg(field ->> 'name', field ->> 'label') from jsonb_array_elements(f.fields) field) as labels
          from agent.form_submissions s join agent.forms f on f.agent_id = s.agent_id and f.name = s.form_name
         where s.id = any(${ids}::uuid[]) and s.organization_id = ${scope.organizationId}`,
    );
    return new Map(found.map(({ id, labels }) => [id, labels]));
  });
  return (await read(submissionId)) ?? {};
}
