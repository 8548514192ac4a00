import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hostsNeeded } from './elsewhere.ts';

it('the hosts that an output loads from are named, also those of a page inside it', () => {
  const map =
    '<iframe srcdoc="&lt;script src=&quot;https://cdn.example.org/leaflet.js&quot;&gt;&lt;/script&gt;"></iframe>';
  const page = '<script src="//a.example/x.js"></script><link rel="stylesheet" href="https://b.example/y.css">';
  assert.deepEqual(hostsNeeded(`${map}${page}<script src='https://a.example/z.js'></script>`), [
    'a.example',
    'b.example',
    'cdn.example.org',
  ]);
  assert.deepEqual(hostsNeeded('<a href="https://example.org">a link</a><script>1</script><img src="data:,">'), []);
});
