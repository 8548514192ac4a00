// Completion in real shells in a real terminal: the script that `svc completion` prints, and the Tab key.
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findProgram } from './kit/parts.ts';
import { cleanEnvironment, newHome, runSvc } from './kit/server.ts';
import { openTerminal } from './kit/terminal.ts';

let home: string;
before(() => {
  home = newHome();
});
after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

const missing = (program: string): string | false =>
  findProgram(program) === undefined && process.env.SVC_TEST_ALL !== '1' && `${program} is missing: install it`;

/** Each without what its user has set up. */
const shells = { bash: 'bash --norc --noprofile -i', zsh: 'zsh -f -i', fish: 'fish --no-config' };

describe('completion', { skip: missing('tmux') }, () => {
  for (const [shell, command] of Object.entries(shells)) {
    it(`of commands and options in ${shell}`, { skip: missing(shell) }, async () => {
      const script = path.join(home, `completion.${shell}`);
      fs.writeFileSync(script, (await runSvc(['completion', shell], { home })).stdout);
      using terminal = openTerminal(command, {
        cwd: home,
        env: cleanEnvironment(home, { LC_ALL: 'C.UTF-8', TERM: 'xterm-256color', SHELL: '/bin/sh' }),
      });
      terminal.press(`source ${script} && echo rea''dy`, 'Enter');
      await terminal.shows(/^ready/m);
      terminal.press('svc ce', 'Tab');
      await terminal.shows(/svc cell$/m);
      terminal.press('annot', 'Tab');
      await terminal.shows(/svc cell annotate$/m);
      terminal.press('somewhere --uns', 'Tab');
      await terminal.shows(/svc cell annotate somewhere --unset$/m);
    });
  }
});
