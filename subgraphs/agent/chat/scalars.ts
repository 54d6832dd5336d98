import { GraphQLScalarType } from 'graphql';

/** Its unused parts may have any form, so only their number is validated, by `ChatArguments`. */
export const UIMessageScalar = new GraphQLScalarType({
  name: 'UIMessage',
  description: 'A message in the format of the AI SDK: an object with `role`, at most 10,000 `parts` and optionally `id`.',
});

export const UIMessageChunkScalar = new GraphQLScalarType({
  name: 'UIMessageChunk',
  description: 'One part of the UI message stream of the AI SDK: an object with `type` and the keys of this type.',
});

export const UIMessagePartScalar = new GraphQLScalarType({
  name: 'UIMessagePart',
  description: 'One part of a stored message in the format of the AI SDK: text, a tool call with its result, or a source.',
});
