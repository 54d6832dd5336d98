/**
 * Stops a named part of a process. May resolve before the part has stopped, if that takes too long.
 * @param milliseconds the maximum wait; by default a second
 */
export type Stop = (part: string, work: () => unknown, milliseconds?: number) => Promise<void>;

/** Stops a part however long it takes, and rejects if that fails. */
export const stopFully: Stop = async (_part, work) => {
  await work();
};
