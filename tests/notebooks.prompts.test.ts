// Prompt cells against a real HTTP server that speaks the protocol of the providers: streams, refusals, slowness, nonsense.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { type AskedModel, type ModelAnswer, refuse, startProvider, stream, type TestProvider } from './kit/provider.ts';
import { startServer, type TestServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';

let server: TestServer;
let provider: TestProvider;
let notebook: TestNotebook;

before(async () => {
  provider = await startProvider();
  server = await startServer({
    env: { SVC_AI_BASE_URL: provider.address, SVC_AI_MODEL: 'small', SVC_AI_API_KEY: 'server-key' },
  });
  notebook = await createTestNotebook(server, 'Prompts');
});
after(async () => {
  await server[Symbol.asyncDispose]();
  provider.close();
});

async function addPrompt(source: string): Promise<string> {
  const { id } = Object((await notebook.request('POST', '/cells', { language: 'prompt' })).json);
  await notebook.edit(id, source);
  provider.asked = [];
  return id;
}

const isStatus =
  (cellId: string, ...statuses: string[]) =>
  ({ type, payload }: Frame): boolean =>
    type === 'cell_status' && payload.cell_id === cellId && statuses.includes(String(payload.status));

describe('a prompt cell', () => {
  it('fills its template, streams the answer, and gives it to other cells; the second time it is found', async () => {
    await notebook.add('animal = "otter"\nfacts = {"legs": 4}');
    const cell = await addPrompt('# @name poem\n# @system Be brief.\nA poem about an {{ animal }} with {{ facts }}');
    provider.answers = [stream('An otter ', 'swims.\nIt sleeps.')];
    const told = notebook.framesUntil(isStatus(cell, 'ready', 'error'));
    notebook.socket.send('cell_execute_rerun', { cell_id: cell });
    const deltas = (await told).filter(({ type }) => type === 'cell_output_delta').map(({ payload }) => payload);
    assert.deepEqual(deltas, [
      { cell_id: cell, attempt: 1, kind: 'delta', text: 'An otter ' },
      { cell_id: cell, attempt: 1, kind: 'delta', text: 'swims.\nIt sleeps.' },
    ]);
    const [question] = provider.asked;
    assert.equal(question?.headers.authorization, 'Bearer server-key');
    assert.deepEqual(question?.body, {
      model: 'small',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'A poem about an otter with {\n  "legs": 4\n}' },
      ],
      temperature: 0,
      max_tokens: 4096,
      stream: true,
      stream_options: { include_usage: true },
    });
    const record = await notebook.cell(cell);
    assert.equal(record.console_stderr, 'Model: small | Tokens: 7→2\n');
    assert.equal(Object(record.display_output).markdown_text, 'An otter swims.\nIt sleeps.');
    const reader = await notebook.add('poem.splitlines()');
    assert.deepEqual((await notebook.run(reader)).display?.preview, ['An otter swims.', 'It sleeps.']);
    const again = await notebook.run(cell);
    assert.deepEqual([again.cache_hit, provider.asked.length], [true, 1]);
  });

  it('shows tables as text, and leaves what it cannot fill as it is', async () => {
    await notebook.add(
      '# @name rows\nimport pyarrow as pa\nrows = pa.table({"a": [1, 2], "b": ["x", None]})\npair = (1, 2)',
    );
    const cell = await addPrompt(
      '{{ rows }} / {{ rows.shape }} / {{ rows.head() }} / {{ pair }} / {{ nobody }} / {{ 1+1 }}',
    );
    provider.answers = [stream('ok')];
    await notebook.run(cell);
    const table = "DataFrame shape=(2, 2) columns=['a', 'b']\na   b\n1   x\n2 NaN";
    const [message] = Object(provider.asked[0]?.body).messages;
    const opaque = '<a Python object that prompt cells cannot read>';
    assert.equal(message.content, `${table} / [\n  2,\n  2\n] / ${table} / ${opaque} / {{ nobody }} / {{ 1+1 }}`);
    assert.match((await notebook.cell(cell)).console_stderr, /being Python objects: pair/);
  });

  it('asks again until the answer fits its schema', async () => {
    const schema = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
    const cell = await addPrompt(`# @name answer\n# @output_schema ${schema}\nA number, please.`);
    provider.answers = [stream('Sure! ', '{"n": "one"}'), stream('```json\n{"n": 1}\n```')];
    const told = notebook.framesUntil(isStatus(cell, 'ready', 'error'));
    notebook.socket.send('cell_execute_rerun', { cell_id: cell });
    const frames = await told;
    const output = frames.find(({ type }) => type === 'cell_output');
    assert.equal(output?.payload.validation_retries, 1);
    const kinds = frames
      .filter(({ type }) => type === 'cell_output_delta')
      .map(({ payload }) => [payload.kind, payload.attempt, payload.kind === 'retry' ? payload.text : '']);
    assert.deepEqual(kinds, [
      ['delta', 1, ''],
      ['delta', 1, ''],
      ['retry', 2, '/n: must be integer'],
      ['delta', 2, ''],
    ]);
    assert.deepEqual(provider.asked[0]?.body.response_format, { type: 'json_object' });
    assert.equal(Object(provider.asked[1]?.body).messages.length, 3);
    assert.equal((await notebook.run(await notebook.add('answer["n"] + 1'))).display?.preview, 2);

    await notebook.edit(cell, `# @name answer\n# @validate_retries 2\n# @output_schema ${schema}\nAnother number.`);
    provider.answers = [stream('no'), stream('{}')];
    const failed = await notebook.run(cell);
    assert.match(
      failed.error ?? '',
      /did not fit its schema after 2 attempts: \(root\): must have required property 'n'/,
    );
  });

  it('does without extensions that the provider does not know', async () => {
    const cell = await addPrompt('# @output json\nList two.');
    provider.answers = [refuse(400, 'response_format is not supported'), stream('[1, 2]')];
    const told = notebook.framesUntil(isStatus(cell, 'ready', 'error'));
    notebook.socket.send('cell_execute_rerun', { cell_id: cell });
    const notices = (await told).filter(({ payload }) => payload.kind === 'notice');
    assert.equal(notices.length, 1);
    assert.deepEqual(
      [
        Object.keys(provider.asked[1]?.body ?? {}).sort(),
        (await notebook.run(await notebook.add('result'))).display?.preview,
      ],
      [
        ['max_tokens', 'messages', 'model', 'temperature'],
        [1, 2],
      ],
    );
  });

  it('says what the provider said, and never its key', async () => {
    const cell = await addPrompt('Hello');
    provider.answers = [refuse(429, 'slow down')];
    const failed = await notebook.run(cell);
    assert.match(failed.error ?? '', /LLM call failed: The provider answered HTTP 429 for model 'small': .*slow down/);
    provider.answers = [(response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')];
    assert.match((await notebook.run(cell)).error ?? '', /is not understood: <html>/);
    provider.answers = [(response) => response.socket?.destroy()];
    assert.match((await notebook.run(cell)).error ?? '', /could not be reached/);
    assert.ok(!JSON.stringify(await notebook.state()).includes('server-key'));
  });

  it('fails when the provider did not bring the answer to its end, and keeps nothing of it', async () => {
    const cell = await addPrompt('# @name story\nTell me a story.');
    const events =
      (...chunks: object[]): ModelAnswer =>
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
      };
    const piece = (content: string, finish_reason: string | null = null) => ({
      choices: [{ delta: { content }, finish_reason }],
    });
    const whole = (message: object, finish_reason: string): ModelAnswer => {
      const body = JSON.stringify({ choices: [{ message, finish_reason }] });
      return (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    };
    const cases: [ModelAnswer, RegExp][] = [
      [
        events(piece('Once'), { error: { message: 'overloaded' } }),
        /The provider failed while it answered: overloaded/,
      ],
      [events(piece('Once upon')), /The answer of 'small' broke off before its end/],
      [
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(`data: ${JSON.stringify(piece('Once'))}\n\n`, () => response.socket?.destroy());
        },
        /The answer of 'small' broke off/,
      ],
      [events(piece('Once upon a', 'length')), /was cut off at 4096 tokens: allow more with # @max_tokens/],
      [events(piece('', 'content_filter')), /withheld the answer of 'small' \(content_filter\)/],
      [events({ choices: [{ delta: { refusal: 'I must not.' }, finish_reason: 'stop' }] }), /refused: I must not\./],
      [stream(''), /The model 'small' answered nothing/],
      [whole({ content: 'Once' }, 'length'), /was cut off at 4096 tokens/],
      [whole({ content: null }, 'stop'), /answered nothing/],
      [events(piece('Once', 'model_length')), /was cut off at 4096 tokens/],
      [events(piece('Once', 'SAFETY')), /withheld the answer of 'small' \(SAFETY\)/],
      ...['error', 'abort', 'insufficient_system_resource'].map((ending): [ModelAnswer, RegExp] => [
        events(piece('Once upon', ending)),
        new RegExp(`The provider ended the answer of 'small' early \\(${ending}\\); try again`),
      ]),
      [events(piece('Once'), { error: { code: 500 } }), /The provider failed while it answered: \{"code":500\}/],
      [
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
          response.end(gzipSync(`data: ${JSON.stringify(piece('Once', 'stop'))}\n\n`));
        },
        /answered with bytes that are packed \(gzip\)/,
      ],
      [
        (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
        /answered is not understood: <html>Sign in/,
      ],
    ];
    for (const [answer, reason] of cases) {
      provider.answers = [answer];
      const { status, error } = await notebook.run(cell);
      assert.equal(status, 'error');
      assert.match(error ?? 'no error', reason);
    }
    // Who counts no tokens has answered all the same.
    provider.answers = [events(piece('The end.', 'stop'), { choices: [], usage: { prompt_tokens: null } })];
    assert.deepEqual((await notebook.run(cell)).display?.preview, 'The end.');
  });

  it('is asked without what its model does not take, and again when the provider was busy', async () => {
    const cell = await addPrompt('Hello there');
    provider.answers = [
      refuse(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      refuse(400, "Unsupported value: 'temperature' does not support 0 with this model."),
      (response) => response.writeHead(429, { 'retry-after': '0' }).end('busy'),
      stream('hi'),
    ];
    assert.equal((await notebook.run(cell)).display?.preview, 'hi');
    const knobs = ({ body: { temperature, max_tokens, max_completion_tokens } }: AskedModel) => [
      temperature,
      max_tokens,
      max_completion_tokens,
    ];
    assert.deepEqual(provider.asked.map(knobs), [
      [0, 4096, undefined],
      [0, undefined, 4096],
      [undefined, undefined, 4096],
      [undefined, undefined, 4096],
    ]);
  });

  it('can be cancelled while it waits', async () => {
    const cell = await addPrompt('Are you there?');
    const waiting = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    provider.answers = [
      (_response, _body, request) => {
        request.socket.on('close', () => gone.resolve());
        waiting.resolve();
      },
    ];
    const ended = notebook.framesUntil(isStatus(cell, 'idle'));
    notebook.socket.send('cell_execute_rerun', { cell_id: cell });
    await waiting.promise;
    notebook.socket.send('cell_cancel', { cell_id: cell });
    await Promise.all([ended, gone.promise]);
  });

  it('holds against a provider that answers without end, or with nonsense', async () => {
    const cell = await addPrompt('# @output json\nHello.');
    const endless =
      (status: number, type: string, begin: string): ModelAnswer =>
      (response) => {
        response.writeHead(status, { 'content-type': type });
        response.write(begin);
        const more = Buffer.alloc(1 << 20, 'x');
        const write = (): void => {
          while (!response.destroyed && response.write(more));
        };
        response.on('drain', write).on('error', () => {});
        write();
      };
    const piece = `data: ${JSON.stringify({ choices: [{ delta: { content: 'y'.repeat(1 << 20) } }] })}\n\n`;
    const cases: [ModelAnswer, RegExp][] = [
      [endless(200, 'text/event-stream', 'data: '), /answered more than 8388608 characters/],
      [endless(200, 'application/json', '{"choices": "'), /answered more than 8388608 characters/],
      [endless(429, 'text/plain', 'slow down '), /HTTP 429 for model 'small': slow down x{200}/],
      [
        (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(piece.repeat(10)),
        /answered more than 8388608 characters/,
      ],
      [
        (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices": 7'),
        /is not understood: \{"choices": 7/,
      ],
      [
        (response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
        /is not understood/,
      ],
    ];
    for (const [answer, reason] of cases) {
      provider.answers = [answer];
      assert.match((await notebook.run(cell, 'rerun')).error ?? 'no error', reason);
    }
    provider.answers = [stream(`\`\`\`${'\n'.repeat(1_000_000)}`)];
    assert.equal((await notebook.run(cell, 'rerun')).error, null, 'a fence that never closes is no JSON');
  });

  it('holds against schemas that are none, or never end, and serves others meanwhile', async () => {
    const cell = await addPrompt('# @output_schema {"type": 7}\nHello.');
    assert.match((await notebook.run(cell)).error ?? '', /@output_schema cannot be used: schema is invalid/);
    assert.deepEqual(provider.asked, [], 'nobody is asked for what could not be checked');
    await notebook.edit(cell, '# @output_schema {"type": "string", "pattern": "^(a+)+$"}\nHello.');
    const answered = Promise.withResolvers<void>();
    provider.answers = [
      (...rest) => {
        stream(`"${'a'.repeat(60)}!"`)(...rest);
        answered.resolve();
      },
    ];
    const running = notebook.run(cell);
    await answered.promise;
    const others = [];
    for (let count = 0; count < 5; count += 1) others.push((await server.rest.get('/health')).status);
    assert.deepEqual(others, [200, 200, 200, 200, 200]);
    assert.match((await running).error ?? '', /could not be held against its schema within 5 seconds/);
  });

  it('reads a template full of beginnings once', async () => {
    const cell = await addPrompt(`${'{{a.b('.repeat(150_000)}{{ ${' '.repeat(50_000)}`);
    provider.answers = [stream('ok')];
    assert.equal((await notebook.run(cell)).display?.preview, 'ok');
    await notebook.edit(cell, '{{ known }} {{ known . upper }} {{ known.__class__ }} {{ open("/etc/passwd") }}');
    await notebook.run(await notebook.add('known = "{{ known }}"'));
    provider.answers = [stream('ok')];
    provider.asked = [];
    await notebook.run(cell, 'rerun');
    assert.equal(
      Object(provider.asked[0]?.body).messages[0].content,
      '{{ known }} {{ known . upper }} {{ known.__class__ }} {{ open("/etc/passwd") }}',
    );
  });

  it('keeps the key of the server from addresses that a notebook chose', async () => {
    const other = await createTestNotebook(server, 'Elsewhere');
    const { id } = Object((await other.request('POST', '/cells', { language: 'prompt' })).json);
    await other.edit(id, 'Hello');
    const file = `${other.path}/notebook.toml`;
    const { appendFile } = await import('node:fs/promises');
    const told = other.framesUntil(({ type }) => type === 'notebook_state');
    await appendFile(file, `\n[ai]\nbase_url = "${provider.address}/other"\n`);
    await told;
    assert.match((await other.run(id)).error ?? '', /no key to ask a model with: set one of ANTHROPIC_API_KEY/);
    await other.request('PUT', '/env', { env: { SVC_AI_API_KEY: 'own-key' } });
    provider.asked = [];
    provider.answers = [stream('hi')];
    assert.equal((await other.run(id)).status, 'ready');
    assert.equal(provider.asked[0]?.headers.authorization, 'Bearer own-key');
  });
});

it('the answers of models are counted by who asked and by model', async () => {
  const totals = async (): Promise<number[]> => {
    const { text } = await server.rest.get('/metrics/prometheus');
    return ['calls', 'input_tokens', 'output_tokens'].map((what) => {
      const line = `svc_ai_${what}_total{tenant="_default",principal="",model="counted"} `;
      return Number(
        text
          .split('\n')
          .find((one) => one.startsWith(line))
          ?.slice(line.length) ?? 0,
      );
    });
  };
  assert.deepEqual(await totals(), [0, 0, 0]);
  const cell = await addPrompt('# @model counted\nCount me.');
  provider.answers = [stream('one', ' two')];
  assert.equal((await notebook.run(cell)).error, null);
  assert.deepEqual(await totals(), [1, 7, 2]);
});
