// What other programs see of this process's environment: none of the server's own settings, and not the identity by which it
// asks the secret manager. Both hold secrets that no other program needs.

type Variables = Readonly<Record<string, string | undefined>>;

const identities = new Set(['INFISICAL_CLIENT_ID', 'INFISICAL_CLIENT_SECRET', 'INFISICAL_TOKEN']);

export const isOwnVariable = (name: string): boolean => name.startsWith('SVC_') || identities.has(name);

export const environmentForPrograms = (variables: Variables = process.env): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !isOwnVariable(name)));
