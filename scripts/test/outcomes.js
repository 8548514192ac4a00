// A reporter for the test runner: a line of JSON for each file, with how it ended and how long it took.

/** @param {AsyncIterable<{ type: string, data: { file?: string, success?: boolean, duration_ms?: number } }>} events */
export default async function* outcomes(events) {
  for await (const event of events) {
    if (event.type !== 'test:summary' || event.data.file === undefined) continue;
    const { file, success, duration_ms } = event.data;
    yield `${JSON.stringify({ file, success, seconds: (duration_ms ?? 0) / 1000 })}\n`;
  }
}
