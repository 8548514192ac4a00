// One section of a Markdown page that a program writes, between pages and sections that others write.

const startOf = (page: string, title: string): number => `\n${page}`.indexOf(`\n## ${title}\n`);

const endOf = (page: string, start: number): number => {
  const next = page.indexOf('\n## ', start + 1);
  return next === -1 ? page.length : next + 1;
};

/** The section with its heading; undefined when there is none. */
export function sectionOf(page: string, title: string): string | undefined {
  const start = startOf(page, title);
  return start === -1 ? undefined : page.slice(start, endOf(page, start));
}

/** The page with this section in place of the one under the same title, or at its end. */
export function withSection(page: string, title: string, text: string): string {
  const section = `## ${title}\n\n${text.trim()}\n`;
  const start = startOf(page, title);
  if (start === -1) return `${page.trimEnd()}\n\n${section}`;
  const rest = page.slice(endOf(page, start));
  return `${page.slice(0, start)}${section}${rest === '' ? '' : `\n${rest}`}`;
}
