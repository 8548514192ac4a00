// The notebook's file as others may have it: what users wrote into it as a secret is blank, everything else stays as it is.
import { parse } from 'smol-toml';
import { hiding, secretsIn } from '../../errors/index.ts';
import { type Block, type Entry, printLayout, scanLayout } from '../../toml/index.ts';

export function withoutSecrets(text: string): string {
  const layout = scanLayout(text).map((block) => ({
    ...block,
    lines: block.lines.map((line) => (line.kind === 'entry' ? blanked(block, line) : line)),
  }));
  return printLayout(layout);
}

function blanked({ path }: Block, entry: Entry): Entry {
  const [name = '', holder = ''] = [...path, ...entry.path].reverse();
  const { value } = parse(`value = ${entry.value}`);
  const secrets = holder === 'auth' ? secretsIn({ [name]: value }, holder) : secretsIn(value, name);
  return secrets.length === 0 ? entry : { ...entry, value: hiding(secrets, '')(entry.value) };
}
