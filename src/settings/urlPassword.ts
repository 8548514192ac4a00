// Addresses as they may be shown: without the password that some carry.
const URL_PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#@:]*):[^/?#@]*@/i;

export function hideUrlPassword(text: string): string {
  return text.replace(URL_PASSWORD, '$1:***@');
}
