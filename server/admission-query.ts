import type { Source } from 'compiled-gateway';
import { parse } from 'graphql';
import { fail } from '../schema/errors.ts';
import type { Admission, Admit, FindToolAccess, Requirement, ToolAccess } from '../schema/request.ts';

const text = `query ($access: String!, $level: String, $workspaces: Boolean, $plan: String, $gates: [String!], $counter: String, $points: Int) {
  admission(access: $access, level: $level, workspaces: $workspaces, plan: $plan, gates: $gates, counter: $counter, points: $points) { limit remaining reset refusal { code message } organizationId userId }
}`;
const document = parse(text);

const accessText = `query ($access: String!, $level: String, $workspaces: Boolean, $plan: String, $gates: [String!]) {
  toolAccess(access: $access, level: $level, workspaces: $workspaces, plan: $plan, gates: $gates) { groups refusal { code message } }
}`;
const accessDocument = parse(accessText);

/** Query admission from the subgraph that authenticates callers. It caches the identity for all in-process subgraphs. */
export const admission =
  (source: Source): Admit =>
  async (context, { counter = null, points = null, ...requirement }) => {
    const variables = { ...accessOf(requirement), counter, points };
    // Each request counts, also concurrent ones of one caller.
    const { data } = await source.execute({ document, text, variables, context, isUnique: true });
    const answer = data?.admission as Admission | undefined;
    if (!answer) throw unavailable();
    return answer;
  };

/** Query the access to MCP tools from the same subgraph. */
export const toolAccess =
  (source: Source): FindToolAccess =>
  async (context, requirement) => {
    const variables = accessOf(requirement);
    const { data } = await source.execute({ document: accessDocument, text: accessText, variables, context });
    const answer = data?.toolAccess as ToolAccess | undefined;
    if (!answer) throw unavailable();
    return answer;
  };

const accessOf = ({ access, level, workspaces, plan, gates }: Requirement) => ({
  access,
  level: level ?? null,
  workspaces: workspaces ?? null,
  plan: plan ?? null,
  gates: gates ?? null,
});

const unavailable = () => fail('UNAVAILABLE', 'The service is not available at the moment. Try again shortly.');
