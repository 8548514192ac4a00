// `npm run build:docs`: the documentation as a site of plain pages in `docs/site`, with the pictures of the tutorial and the
// references that follow from the sources. Nothing of it is kept under version control.
import fs from 'node:fs';
import path from 'node:path';
import { Marked } from 'marked';
import { root } from '../setup/places.js';
import { escaped, layout } from './layout.ts';
import { takePictures } from './pictures.ts';
import { framesReference, routesReference } from './reference.ts';

const docs = path.join(root, 'docs');
const site = path.join(docs, 'site');

/** Pages in the order in which somebody reads them; the rest follows below. */
const first = ['quick-start.md', 'concepts.md', 'tutorial.md', 'how-to/README.md'];

interface Page {
  /** Below `docs`, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
}

const pageOf = (name: string, markdown: string): Page => ({
  name: name.replace(/\.md$/, ''),
  title: /^# (.+)$/m.exec(markdown)?.[1] ?? name,
  markdown,
});

function written(): Page[] {
  const all = fs
    .readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort((one, other) => rank(one) - rank(other) || one.localeCompare(other));
  return all.map((name) => pageOf(name, fs.readFileSync(path.join(docs, name), 'utf8')));
}

const rank = (name: string): number =>
  first.includes(name) ? first.indexOf(name) : name.startsWith('how-to/') ? 5 : 9;

/** Links between pages lead to their HTML; links to sources lead nowhere on a site and stay as text. */
function linked(href: string): string | null {
  if (/^https?:|^#/.test(href) || /\.(png|svg)$/.test(href)) return href;
  if (href.startsWith('../../') || href.startsWith('../examples')) return null;
  return href.replace(/\.md(#.*)?$/, '.html$1');
}

function render(markdown: string): string {
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const target = linked(href);
        const text = this.parser.parseInline(tokens);
        return target === null ? `<code>${text}</code>` : `<a href="${escaped(target)}">${text}</a>`;
      },
      code: ({ text, lang = '' }) => {
        const [language = '', kind = ''] = lang.split(' ');
        const label = kind === 'cell' ? `<figcaption>${escaped(language)} cell</figcaption>` : '';
        return `<figure>${label}<pre><code>${escaped(text)}</code></pre></figure>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

const pages = [...written(), pageOf('routes.md', await routesReference()), pageOf('frames.md', framesReference())];
fs.rmSync(site, { recursive: true, force: true });
for (const page of pages) {
  const file = path.join(site, `${page.name}.html`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, layout(page, pages, render(page.markdown)));
}
fs.copyFileSync(path.join(site, 'quick-start.html'), path.join(site, 'index.html'));
fs.copyFileSync(path.join(docs, 'overview.svg'), path.join(site, 'overview.svg'));
const pictures = await takePictures(path.join(site, 'pictures'));
process.stdout.write(`${pages.length} pages and ${pictures} pictures in ${path.relative(root, site)}\n`);
