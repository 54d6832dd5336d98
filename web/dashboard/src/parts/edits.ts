/** The properties of an input that the user has edited. Sent alone, they leave what others have changed meanwhile. */
export const editsOf = <Input extends object>(input: Input, before: { [Name in keyof Input]: unknown }): Partial<Input> =>
  Object.fromEntries(
    Object.entries(input).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Input])),
  ) as Partial<Input>;
