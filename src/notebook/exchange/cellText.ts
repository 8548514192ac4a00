// A value of a table as it is written: numbers whole, as they are; what has parts as JSON.
export const cellText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
