import type { Source } from 'compiled-gateway';
import { parse } from 'graphql';
import { fail } from '../schema/errors.ts';
import type { Admission, Admit } from '../schema/request.ts';

const text = `query ($access: String!, $plan: String) {
  admission(access: $access, plan: $plan) { limit remaining reset refusal { code message } }
}`;
const document = parse(text);

/** Ask the subgraph that knows callers whether a request may go on; in process it is known to all of them from then on. */
export const admission =
  (source: Source): Admit =>
  async (context, { access, plan = null }) => {
    const { data } = await source.execute({ document, text, variables: { access, plan }, context });
    const answer = data?.admission as Admission | undefined;
    if (!answer) throw fail('UNAVAILABLE', 'The service is not available at the moment. Try again shortly.');
    return answer;
  };
