/** Tell the developer of the page what to change. Visitors see nothing. */
export const report = (text: string): void => console.error(`[chat widget] ${text}`);
