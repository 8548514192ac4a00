// What people see of a listing: the newest version first, and the size of the file that this machine would take.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromJson, fromLinks, versionsOf } from './indexListing.ts';

const base = 'https://index.example/simple/tool/';

describe('the versions in a listing', () => {
  it('come newest first, with what comes before a release below it', () => {
    const files = ['1.9', '1.10', '2.0rc1', '2.0', '2.0.post1', '2.0.dev3', '1!0.1'].map((version) => ({
      filename: `tool-${version}-py3-none-any.whl`,
      url: `tool-${version}-py3-none-any.whl`,
    }));
    const listed = versionsOf('tool', fromJson(JSON.stringify({ files }), base), '3.13');
    assert.deepEqual(
      listed.map(({ version }) => version),
      ['1!0.1', '2.0.post1', '2.0', '2.0rc1', '2.0.dev3', '1.10', '1.9'],
    );
  });

  it('say how large the download is, what it needs, and whether it was withdrawn', () => {
    const file = (filename: string, size: number) => ({
      filename,
      url: filename,
      size,
      'requires-python': '>=3.10',
      'upload-time': '2026-01-02T03:04:05Z',
      yanked: 'broken',
    });
    const text = JSON.stringify({ files: [file('tool-1.0.tar.gz', 9000), file('tool-1.0-py3-none-any.whl', 700)] });
    assert.deepEqual(versionsOf('tool', fromJson(text, base), '3.13'), [
      {
        version: '1.0',
        bytes: 700,
        requires_python: '>=3.10',
        uploaded_at: '2026-01-02T03:04:05Z',
        is_yanked: true,
        url: `${base}tool-1.0-py3-none-any.whl`,
      },
    ]);
  });

  it('are read from a page of links too, past files of other packages', () => {
    const page = [
      '<a href="../../files/tool-1.0.tar.gz#sha256=00" data-requires-python="&gt;=3.9">tool-1.0.tar.gz</a>',
      '<a href="tool-extra-2.0.tar.gz">tool-extra-2.0.tar.gz</a>',
    ].join('\n');
    assert.deepEqual(versionsOf('tool', fromLinks(page, base), '3.13'), [
      {
        version: '1.0',
        bytes: null,
        requires_python: '>=3.9',
        uploaded_at: null,
        is_yanked: false,
        url: 'https://index.example/files/tool-1.0.tar.gz',
      },
    ]);
  });
});
