/** Whether a key belongs to an input method. Safari ends the composition before the event of its last key, which has the code 229. */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;
