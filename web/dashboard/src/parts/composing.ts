import type { KeyboardEvent } from 'react';

/** Whether a key belongs to an input method. Safari ends the composition before the event of its last key, which has the code 229. */
export const isComposing = ({ nativeEvent }: KeyboardEvent): boolean => nativeEvent.isComposing || nativeEvent.keyCode === 229;
