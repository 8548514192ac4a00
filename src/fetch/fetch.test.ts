import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { checkUrl, isNamed, isPublicAddress, type NetworkPolicy, openUrl, shownUrl, UrlRefused } from './index.ts';

const anywhere = { publicOnly: false, allowedHosts: [] };
const outside = { publicOnly: true, allowedHosts: [] };
const signal = AbortSignal.timeout(20_000);

async function serve(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `http://127.0.0.1:${address.port}`;
}

describe('addresses', () => {
  it('that belong to the public internet', () => {
    const found = [
      '1.1.1.1',
      '8.8.8.8',
      '93.184.216.34',
      '2606:4700::1111',
      '::ffff:8.8.8.8',
      '172.32.0.1',
      '100.128.0.1',
    ];
    assert.deepEqual(found.filter(isPublicAddress), found);
  });

  it('that do not', () => {
    const found = `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255
      192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.9 224.0.0.1 239.1.1.1
      240.0.0.1 255.255.255.255 ::1 :: fe80::1 fc00::1 fd12::1 fec0::1 ff02::1 2001:db8::1 2001::1 2002:7f00:1::
      64:ff9b::7f00:1 64:ff9b:1::1 100::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a9fe:a9fe 0:0:0:0:0:ffff:0a00:0001
      ::127.0.0.1 ::7f00:1 3fff::1 5f00::1 nonsense localhost`.split(/\s+/);
    assert.deepEqual(found.filter(isPublicAddress), []);
  });

  it('are named by hosts, or by what stands below a dot', () => {
    assert.deepEqual(
      ['data.example', 'DATA.example.', 'a.lab.example', 'lab.example', 'evil-lab.example', 'data.example.evil'].map(
        (host) => isNamed(host, ['data.example', '.lab.example']),
      ),
      [true, true, true, false, false, false],
    );
  });
});

describe('asking an address', () => {
  it('follows redirects to the end, and leaves credentials with the host they were meant for', async (context) => {
    const far = await serve(context, (request, response) => response.end(`auth=${request.headers.authorization}`));
    const near = await serve(context, (request, response) => {
      if (request.url === '/far') response.writeHead(302, { location: `${far}/here` }).end();
      else if (request.url === '/near') response.writeHead(307, { location: '/end' }).end();
      else response.end(`auth=${request.headers.authorization}`);
    });
    const ask = async (path: string): Promise<string> => {
      const headers = { authorization: 'secret' };
      return text((await openUrl(`${near}${path}`, { headers, policy: anywhere, signal, redirects: 5 })).body);
    };
    assert.deepEqual([await ask('/near'), await ask('/far')], ['auth=secret', 'auth=undefined']);
  });

  it('refuses what lies inside, however it is written and however it is reached', async (context) => {
    const inside = await serve(context, (_request, response) => response.end('inside'));
    const { port } = new URL(inside);
    const hostile = [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://LOCALHOST:${port}/`,
      `http://127.1:${port}/`,
      `http://2130706433:${port}/`,
      `http://0x7f000001:${port}/`,
      `http://0177.0.0.1:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://[::ffff:7f00:1]:${port}/`,
      `http://[0:0:0:0:0:ffff:127.0.0.1]:${port}/`,
      `http://user:pass@127.0.0.1:${port}/`,
      `http://0.0.0.0:${port}/`,
      `http://①②⑦.⓪.⓪.①:${port}/`,
      `http://0:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://0x7f.0x0.0x0.0x1:${port}/`,
      `http://017700000001:${port}/`,
      `http://0177.1:${port}/`,
      `http://127.0.1:${port}/`,
      `http://127.127.127.127:${port}/`,
      `http://127.0.0.1.:${port}/`,
      `http://%31%32%37.0.0.1:${port}/`,
      `http://127。0。0。1:${port}/`,
      `http://127．0．0．1:${port}/`,
      `http://１２７.0.0.1:${port}/`,
      `http://[::]:${port}/`,
      `http://[0000::1]:${port}/`,
      `http://[::127.0.0.1]:${port}/`,
      `http://[::ffff:0:127.0.0.1]:${port}/`,
      `http://[64:ff9b::127.0.0.1]:${port}/`,
      `http://[2002:7f00:1::]:${port}/`,
      `http://[::ffff:0a00:1]:${port}/`,
      `http://[::FFFF:127.0.0.1]:${port}/`,
      `http://example.org@127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}#@example.org/`,
      `http://127.0.0.1:${port}\\@example.org/`,
      `http:\\\\127.0.0.1:${port}/`,
      `http:/127.0.0.1:${port}/`,
      `http:127.0.0.1:${port}/`,
      `  http://127.0.0.1:${port}/`,
      `ht\ntp://127.0.0.1:${port}/`,
      `http://127.0.\t0.1:${port}/`,
      `HTTPS://127.0.0.1:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://169.254.169.254.:80/',
      'http://2852039166/',
      'http://0xa9fea9fe/',
      'http://[::ffff:169.254.169.254]/',
      'http://[::ffff:a9fe:a9fe]/',
      'http://[fd00:ec2::254]/latest/meta-data/',
      'http://[fe80::1]/',
      'http://[fc00::1]/',
      'http://[fec0::1]/',
      'http://[ff02::1]/',
      'http://[2001:db8::1]/',
      'http://[2001::1]/',
      'http://[100::1]/',
      'http://10.0.0.1/',
      'http://10.255.255.255/',
      'http://172.16.0.1/',
      'http://172.31.255.255/',
      'http://192.168.0.1/',
      'http://100.64.0.1/',
      'http://100.127.255.255/',
      'http://192.0.0.8/',
      'http://198.18.0.1/',
      'http://224.0.0.1/',
      'http://240.0.0.1/',
      'http://255.255.255.255/',
      'http://',
      'file:///etc/passwd',
      'ftp://example.org/',
      'gopher://example.org/',
      'data:text/plain,x',
      'javascript:alert(1)',
      'unix:/run/docker.sock',
      'ws://127.0.0.1/',
      '//example.org',
      'not an address',
      '',
    ];
    assert.ok(hostile.length >= 60);
    for (const url of hostile) {
      await assert.rejects(openUrl(url, { policy: outside, signal }), UrlRefused, url);
      await assert.rejects(checkUrl(url, outside), UrlRefused, url);
    }
    await assert.rejects(checkUrl('http://no-such-host.invalid/', outside), UrlRefused);
    assert.equal(await checkUrl('http://8.8.8.8/', outside), undefined);
    const named = { publicOnly: true, allowedHosts: ['127.0.0.1'] };
    assert.equal(await text((await openUrl(inside, { policy: named, signal })).body), 'inside');
    const door = await serve(context, (_request, response) =>
      response.writeHead(302, { location: 'http://[::1]/' }).end(),
    );
    await assert.rejects(openUrl(door, { policy: named, signal, redirects: 5 }), UrlRefused);
  });

  it('ends after too many redirects', async (context) => {
    const round = await serve(context, (_request, response) => response.writeHead(302, { location: '/' }).end());
    await assert.rejects(openUrl(round, { policy: anywhere, signal, redirects: 5 }), /redirects too often/);
  });

  it('never shows what may be secret', () => {
    assert.equal(shownUrl('https://user:pass@example.org/a?token=1#x'), 'https://example.org/a?…');
  });
});

describe('a proxy of the environment', () => {
  it('is not asked for what is checked, hosts on the allow list included', async (context) => {
    const site = await serve(context, (_request, response) => response.end('the site'));
    const proxy = await serve(context, (_request, response) => response.end('the proxy'));
    const before = { ...process.env };
    context.after(() => {
      process.env = before;
    });
    Object.assign(process.env, { HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '', no_proxy: '' });
    const read = async (policy: NetworkPolicy) => text((await openUrl(site, { policy, signal })).body);
    assert.equal(await read({ publicOnly: true, allowedHosts: ['127.0.0.1'] }), 'the site');
    assert.equal(await read(anywhere), 'the proxy');
  });
});
