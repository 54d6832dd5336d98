/** A result with errors as GraphQL defines them. */
export interface Outcome {
  errors?: readonly { extensions?: Record<string, unknown> }[];
}

const CODE = /^[A-Z_]{1,40}$/;

/**
 * The code of the first error; undefined without errors. Text that does not look like a code is replaced: it may be input of the caller,
 * and would make labels unbounded.
 */
export function codeIn({ errors }: Outcome): string | undefined {
  if (!errors?.length) return undefined;
  const given = errors[0]?.extensions?.code;
  return typeof given === 'string' && CODE.test(given) ? given : 'INTERNAL_SERVER_ERROR';
}
