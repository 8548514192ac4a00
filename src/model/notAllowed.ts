// A refusal for want of a right, in words: what one may not do here, and what to ask for.

const rights: Readonly<Record<string, string>> = {
  'notebook:read': 'look at notebooks',
  'notebook:write': 'change notebooks',
  'notebook:execute': 'run cells and use widgets',
  'artifacts:write': 'store results or give them names',
  'artifacts:publish': 'publish results or withdraw them',
  'admin:registry': 'approve or reject changes',
  'admin:notebook-credentials': 'see or change credentials',
};

/** What somebody without the scope is told before they try. */
export function lackOf(scope: string): string {
  const what = rights[scope];
  return `${what === undefined ? 'This is not for everybody.' : `You may not ${what} here.`} Ask whoever runs the server for ${scope}.`;
}

/** Other refusals stay as they are. */
export function notAllowed(refusal: string): string {
  const scope = /requires the '?([\w:.*-]+)'? scope/.exec(refusal)?.[1];
  if (scope === undefined) return refusal;
  const lack = lackOf(scope);
  return `Not done: ${lack.charAt(0).toLowerCase()}${lack.slice(1)}`;
}
