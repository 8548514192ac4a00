import assert from 'node:assert/strict';
import { it } from 'node:test';
import { highlighted } from './highlight.ts';
import { plainHtml } from './plainHtml.ts';
import { renderBeside } from './renderBeside.ts';
import { openRenderer } from './renderMarkdown.ts';

it('Markdown is rendered with its formulas, and nothing in it can act or ask anybody', async () => {
  const { markdown, latex } = await openRenderer();
  assert.equal(markdown('**a** and <b onclick="x()">b</b>'), '<p><strong>a</strong> and <b>b</b></p>\n');
  assert.equal(
    markdown('[x](javascript:alert(1)) [y](https://e.org)'),
    '<p>x <a href="https://e.org" rel="noopener noreferrer">y</a></p>\n',
  );
  assert.equal(markdown('![p](https://e.org/p.png)'), '<p><span class="note">[picture: p]</span></p>\n');
  assert.match(markdown('$e^x$'), /^<p><span class="katex"><math/);
  assert.match(latex('between $a$ and $b$'), /^<p>between <span class="katex"><math/);
  const hostile = [
    '<script>alert(1)</script>',
    '<script>alert(1)',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<b title="a>b" onmouseover=alert(1)>x</b>',
    '<scr<script>ipt>alert(1)</script>',
    '<div\nonclick=alert(1)>z</div>',
    '<iframe srcdoc="<script>alert(1)</script>">',
    '<a href="javascript:alert(1)">x</a>',
    '<javascript:alert(1)>',
    '![x](data:text/html,<script>alert(1)</script>)',
    '[x]: javascript:alert(1)\n[x]',
    '$\\href{javascript:alert(1)}{x}$',
  ];
  const tags = hostile.flatMap((text) => [
    ...markdown(text).matchAll(
      /<(?!\/?(?:p|b|span|math|semantics|mrow|m\w+|annotation)\b)[^>]*>|<[^>]*\s(?:on\w+|href|src|srcdoc)\s*=[^>]*>/gi,
    ),
  ]);
  assert.deepEqual(tags, []);
});

it('where no HTML can stand, tables are rows and the rest is text', () => {
  const html =
    '<style>td { color: red }</style><p>Two &amp; more</p><table><thead><tr><th></th><th colspan="2">a</th></tr></thead><tbody><tr><td>x</td><td>1&nbsp;%</td><td>2</td></tr></tbody></table><script>1</script>';
  assert.deepEqual(plainHtml(html), [
    { text: 'Two & more' },
    {
      table: [
        ['', 'a', ''],
        ['x', '1 %', '2'],
      ],
    },
  ]);
});

it('what would take for ever to be rendered is left as it is, and holds up nobody', async () => {
  const limits = { textMilliseconds: 1_000, pageMilliseconds: 20_000, maxOldGenerationSizeMb: 256 };
  const manyTimes = `$\\def\\a{${'x'.repeat(29_000)}}${'\\a'.repeat(1_000)}$`;
  let turns = 0;
  const turning = setInterval(() => turns++, 10);
  const rendered = await renderBeside(
    [
      { kind: 'markdown', text: '**a**' },
      { kind: 'markdown', text: manyTimes },
      { kind: 'formula', text: manyTimes },
      { kind: 'markdown', text: '>'.repeat(20_000) },
      { kind: 'markdown', text: '*b*' },
    ],
    limits,
  );
  clearInterval(turning);
  assert.deepEqual(rendered, ['<p><strong>a</strong></p>\n', null, null, null, '<p><em>b</em></p>\n']);
  assert.ok(turns > 50, `${turns} turns of the event loop`);
});

it('a source that opens comments and strings without an end is coloured in one go', () => {
  const began = performance.now();
  for (const sign of ['/*', '"""', "'''"]) highlighted(`${sign}a`.repeat(20_000), 'javascript');
  assert.ok(performance.now() - began < 1_000);
  assert.equal(highlighted('x /* y', 'javascript'), 'x <span class="comment">/* y</span>');
});
