// Which addresses are the page's: all that are not the API's.

/** Decoded, as the router reads it. What cannot be decoded was refused before. */
export const pathOf = (url: string): string => decodeURI(url.split('?')[0] ?? '');

export const isOfPage = (url: string): boolean => !/^\/((v1|mcp)(\/|$)|metrics)/.test(pathOf(url));
