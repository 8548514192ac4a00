// What others say, without secrets: drivers, providers and stores like to repeat what they were sent. What is known to be a
// secret is taken out of their words in every form in which it may come back.

const mask = '***';

const secretName = /key|secret|token|passw|pwd|credential|signature|^sig$|^sas_|connection_string/i;
/** How a secret is kept out of a file: `token_env` names a variable. */
const namesVariable = /_env$/i;
const reference = /^\$\{[^}]*\}$/;

/** Whether what stands under this name must not be seen. */
export const namesSecret = (name: string): boolean => secretName.test(name) && !namesVariable.test(name);

/** Passwords of addresses, and values of secret-looking names in queries and connection strings. */
export function passwordsIn(text: string): string[] {
  const ofUsers = [...text.matchAll(/\/\/[^/?#\s:@]*:([^/?#\s@]+)@/g)].map(([, found = '']) => found);
  const ofNames = [...text.matchAll(/(?:^|[?&;\s])([\w.-]+)=([^&;\s]+)/g)].flatMap(([, name = '', found = '']) =>
    namesSecret(name) || /account_?key|sharedaccess/i.test(name) ? [found] : [],
  );
  return [...ofUsers, ...ofNames.filter((found) => !reference.test(found))];
}

/** Every secret in a table of settings, whole and in the parts that others know it by. */
export function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    if (reference.test(value)) return [];
    return namesSecret(name) ? [value, ...partsOf(value)] : passwordsIn(value);
  }
  if (Array.isArray(value)) return value.flatMap((one) => secretsIn(one, name));
  if (typeof value !== 'object' || value === null) return [];
  // Every literal of a driver's credentials is a secret, whatever its name.
  const isAuth = name === 'auth';
  return Object.entries(value).flatMap(([key, one]) => secretsIn(one, isAuth && key !== 'user' ? 'secret' : key));
}

/** `id:secret` and `Bearer secret` come back without their first word. */
function partsOf(value: string): string[] {
  const last = value.split(/[:\s]/).at(-1) ?? '';
  return [...passwordsIn(value), ...(last !== value && last.length >= 6 ? [last] : [])];
}

/** A function that takes these secrets out of a text. */
export function hiding(secrets: Iterable<string>, instead = mask): (text: string) => string {
  const forms = [...new Set([...secrets].flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const patterns = forms.map(patternOf);
  return (text) => patterns.reduce<string>((shown, pattern) => shown.replaceAll(pattern, () => instead), text);
}

/** A short secret is hidden where it stands alone: inside of words it is no secret, and they could not be read any more. */
function patternOf(form: string): string | RegExp {
  if (form.length >= 4) return form;
  const [before, after] =
    form.length === 1 ? [`[:="']`, `[@&;,"'\\s]|$`] : [`^|[^\\p{L}\\p{N}_]`, `[^\\p{L}\\p{N}_]|$`];
  return new RegExp(`(?<=${before})${RegExp.escape(form)}(?=${after})`, 'gu');
}

const formsOf = (secret: string): string[] =>
  [secret, encodeURIComponent(secret), decoded(secret), JSON.stringify(secret).slice(1, -1)].filter(
    (form) => form !== '',
  );

function decoded(secret: string): string {
  try {
    return decodeURIComponent(secret);
  } catch {
    return '';
  }
}
