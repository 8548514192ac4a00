// What may stand after a call, for somebody who types in a notebook of which nothing has run: from the question over HTTP
// to the answer. Each text is new, as it is after each key.
import { type Context, kept, type Line } from '../line.ts';
import { type BenchSession, openBenchSession, pause } from '../notebooks/session.ts';

const above = `import numpy as np
import pandas as pd
df = pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]})
class Model:
    def fit(self, X):
        return self
model = Model()
X = np.arange(6).reshape(2, 3)`;

const typed = ['df.groupby("a").', 'np.arange(3).', 'model.fit(X).', 'df.groupby("a").sum().', 'df["a"].str.', 'np.'];
const timesEach = 10;

/** Warm: what is read for the first time, packages above all, says at first that it does not know yet. */
const session = kept(async (context: Context) => {
  const opened = await openBenchSession(context, { sources: [above, 'df'], dependencies: ['pandas', 'numpy'] });
  for (const text of typed)
    for (let times = 40; times > 0 && !(await ask(opened, text)).isOffered; times--) await pause();
  return opened;
});

let keys = 0;

async function ask({ port, sessionId, cell }: BenchSession, text: string) {
  const source = `# ${++keys}\n${text}`;
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/notebooks/${sessionId}/cells/${cell(1)}/complete`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ source, offset: source.length }),
  });
  const body = await answer.text();
  const milliseconds = performance.now() - began;
  return { milliseconds, isOffered: /"label"/.test(body), told: `${answer.status}: ${body.slice(0, 200)}` };
}

async function answerMilliseconds(opened: BenchSession, text: string): Promise<number> {
  const { milliseconds, isOffered, told } = await ask(opened, text);
  if (!isOffered) throw new Error(`Nothing was offered after ${text} (${told})`);
  return milliseconds;
}

/** Of so many answers one in twenty took longer. */
export const completion: Line = {
  name: 'completion after a call, 95th of 100',
  unit: 'ms',
  budget: { atMost: 150 },
  warmUp: true,
  async ours(context) {
    const opened = await session(context);
    const took: number[] = [];
    for (let time = 0; time < timesEach; time++)
      for (const text of typed) took.push(await answerMilliseconds(opened, text));
    return took.sort((a, b) => a - b)[Math.floor(took.length * 0.95)] ?? Number.NaN;
  },
};
