// An address as logs and traces may show it: the token of a publication is all that its reader needs, so it stays out.

export const loggedPath = (url: string): string =>
  url.replace(/^(\/p\/|\/v1\/publications\/)[^/?]+/, '$1***').replace(/([?&]url=)[^&]*/, '$1***');
