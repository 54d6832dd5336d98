import type { RequestContext, Source } from 'compiled-gateway';
import { parse } from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { Sessions, SignIn } from '../../schema/session.ts';

const answer = '{ user { id name email } organization refusal }';
const link = operation(
  'signInWithLink',
  `mutation ($token: String!, $tokenHash: String!, $userAgent: String!) {
    signInWithLink(token: $token, tokenHash: $tokenHash, userAgent: $userAgent) ${answer}
  }`,
);
const email = operation(
  'signInWithEmail',
  `mutation ($email: String!, $name: String!, $tokenHash: String!, $userAgent: String!) {
    signInWithEmail(email: $email, name: $name, tokenHash: $tokenHash, userAgent: $userAgent) ${answer}
  }`,
);
const current = operation('currentSession', '{ currentSession { user { id name email } expiresAt } }');
const end = operation('signOut', 'mutation { signOut }');

function operation(field: string, text: string) {
  return { field, text, document: parse(text) };
}

/** The sessions in the subgraph that authenticates callers. */
export function sessionQueries(source: Source): Sessions {
  const run = async (
    { field, text, document }: typeof link,
    context: RequestContext,
    variables: Record<string, unknown> = {},
  ): Promise<unknown> => {
    const { data, errors } = await source.execute({ document, text, variables, context });
    if (errors?.length || data?.[field] === undefined)
      throw fail('UNAVAILABLE', 'The service is not available at the moment. Try again shortly.');
    return data[field];
  };
  return {
    signInWithLink: (context, token, session) => run(link, context, { token, ...session }) as Promise<SignIn>,
    signInWithEmail: (context, user, session) => run(email, context, { ...user, ...session }) as Promise<SignIn>,
    find: (context) => run(current, context) as ReturnType<Sessions['find']>,
    signOut: async (context) => void (await run(end, context)),
  };
}
