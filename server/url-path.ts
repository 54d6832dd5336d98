/** The path of a request URL, without its query. */
export const pathOf = (url: string): string => url.split('?', 1)[0]!;
