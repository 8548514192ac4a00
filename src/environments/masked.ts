// Addresses of packages and indexes as they may be shown: without who may use them.

export const withoutPasswords = (text: string): string => text.replace(/(\/\/)[^/?#\s@]+@/g, '$1***@');
