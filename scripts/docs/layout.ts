// What surrounds the text of a page: the list of pages beside it, and a look that follows the reader's system.

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const style = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #333); --soft: light-dark(#f5f5f4, #1c1c1b); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
nav { padding: 1.5rem; border-right: 1px solid var(--line); font-size: .9rem; }
nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none; }
nav a[aria-current] { font-weight: 600; }
nav a:hover { text-decoration: underline; }
main { padding: 1.5rem 2.5rem 4rem; max-width: 52rem; }
pre { overflow-x: auto; padding: .8rem 1rem; background: var(--soft); border-radius: 6px; font-size: .85rem; margin: 0; }
figure { margin: 1rem 0; }
figcaption { font-size: .75rem; opacity: .75; padding-bottom: .2rem; }
code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border-bottom: 1px solid var(--line); padding: .35rem .7rem; text-align: left; vertical-align: top; }
img { max-width: 100%; border: 1px solid var(--line); border-radius: 6px; }
@media (max-width: 48rem) { body { grid-template-columns: 1fr; } nav { border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } }
`;

interface Titled {
  readonly name: string;
  readonly title: string;
}

export function layout(page: Titled, pages: readonly Titled[], body: string): string {
  const up = '../'.repeat(page.name.split('/').length - 1);
  const links = pages.map(
    ({ name, title }) =>
      `<a href="${up}${name}.html"${name === page.name ? ' aria-current="page"' : ''}>${escaped(title)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · svc</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Pages">${links.join('\n')}</nav>
<main>
${body}
</main>
</body>
</html>
`;
}
