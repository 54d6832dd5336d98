/** Work of a module that the threads do not know when they start. */
export const tasks = { double: (number: number) => 2 * number };
