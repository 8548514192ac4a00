// The HTML of an output where no HTML can stand: its tables as rows, everything else as text.
export type Plain = { readonly table: readonly (readonly string[])[] } | { readonly text: string };

export function plainHtml(html: string): Plain[] {
  const cleaned = html.replace(/<!--[\s\S]*?(?:-->|$)|<(script|style|head|template)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '');
  return cleaned.split(/(<table\b[\s\S]*?(?:<\/table\s*>|$))/i).flatMap((part): Plain[] => {
    if (/^<table\b/i.test(part)) {
      const table = rowsOf(part);
      return table.length === 0 ? [] : [{ table }];
    }
    const text = textOf(part.replace(/<(br|\/p|\/div|\/li|\/h\d)\b[^<>]*>/gi, '\n'));
    return text === '' ? [] : [{ text }];
  });
}

const rowsOf = (table: string): string[][] =>
  [...table.matchAll(/<tr\b[\s\S]*?(?=<tr\b|<\/table|$)/gi)]
    .map(([row]) =>
      [...row.matchAll(/<t[hd]\b([^<>]*)>([\s\S]*?)(?=<t[hd]\b|<\/t[hdr]\b|$)/gi)].flatMap(
        ([, about = '', content = '']) => {
          const span = Math.min(100, Number(/\bcolspan\s*=\s*["']?(\d+)/i.exec(about)?.[1] ?? 1));
          return [textOf(content).replace(/\s+/g, ' '), ...Array<string>(Math.max(0, span - 1)).fill('')];
        },
      ),
    )
    .filter((row) => row.length > 0);

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', amp: '&' };

const textOf = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      if (name !== undefined) return entities[name] ?? whole;
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .trim();
