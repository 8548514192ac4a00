// Several packages in one line, as people write and paste them: `pandas>=2,<3 numpy, six` or `pip install pandas numpy`.

const version = String.raw`(?:===|==|~=|!=|<=|>=|<|>)\s*[\w.*+!-]+`;
const requirement = new RegExp(
  String.raw`[A-Za-z0-9][\w.-]*(?:\s*\[[^\]]*\])?(?:\s*${version}(?:\s*,\s*${version})*)?(?:\s*@\s*\S+)?(?:\s*;[^,\n]*)?`,
  'g',
);

const command = /^\s*[!%]?\s*(?:uv\s+|python3?\s+-m\s+)*(?:pip3?\s+install|add)\s+/;

/** What is no list of packages comes back as it is: the server says what is wrong with it. */
export function requirementsIn(text: string): string[] {
  const rest = text.replace(command, '');
  const found = rest.match(requirement) ?? [];
  const left = rest.replaceAll(requirement, '').replaceAll(/[\s,]/g, '');
  if (left !== '') return [rest.trim()];
  return found.map((one) => one.trim());
}

/** The name without its version, for whoever looks it up. */
export const nameIn = (requirement: string): string => /^[A-Za-z0-9][\w.-]*/.exec(requirement)?.[0] ?? '';

/** What a line of a list declares: one package may stand there several times, each time under another condition. */
export function declaredBy(line: string): string {
  const name = nameIn(line)
    .toLowerCase()
    .replaceAll(/[-_.]+/g, '-');
  return `${name};${line.split(';')[1] ?? ''}`.replaceAll(/[\s"']/g, '');
}
