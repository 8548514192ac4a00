// What a person sees while setup works: one line per step, alive on a terminal, plain elsewhere.

export class SetupError extends Error {
  /** @param {string} message what was wrong @param {string} remedy what to do next */
  constructor(message, remedy) {
    super(message);
    this.remedy = remedy;
  }
}

/** @typedef {(note: string) => void} Progress */

/** @param {{ quiet: boolean }} options */
export function createReporter({ quiet }) {
  const out = process.stderr;
  const live = out.isTTY === true && !quiet;
  return {
    /** @param {string} text */
    note(text) {
      out.write(`· ${text}\n`);
    },

    /** @template T @param {string} title @param {(progress: Progress) => Promise<T>} work @returns {Promise<T>} */
    async step(title, work) {
      const began = Date.now();
      let note = '';
      const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
      const draw = () => out.write(`\r\u001b[2K· ${title} … ${seconds()} ${note}`.slice(0, (out.columns ?? 80) + 5));
      if (!live && !quiet) out.write(`· ${title} …\n`);
      const timer = live ? setInterval(draw, 200) : undefined;
      try {
        const result = await work((text) => {
          note = text.trim();
          if (live) draw();
        });
        if (live) out.write('\r\u001b[2K');
        if (!quiet) out.write(`✓ ${title} (${seconds()})\n`);
        return result;
      } finally {
        clearInterval(timer);
        if (live) out.write('\r\u001b[2K');
      }
    },
  };
}
