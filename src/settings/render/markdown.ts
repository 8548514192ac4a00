// `docs/settings.md`: one table for each area.

import { PROJECT_FILE } from '../projectFile.ts';
import { type SettingEntry, settingsTable } from '../table.ts';
import { defaultWords, hasLiteralDefault, marksOf } from './facts.ts';

const INTRODUCTION = `# Settings

Generated from the settings table (\`npm run svc -- settings --format markdown > docs/settings.md\`); edit the table instead.

A setting is written as an environment variable, or under its key in \`[tool.svc]\` of the \`${PROJECT_FILE}\` in the
directory the server starts in. The environment wins over the project file, command-line flags win over both. An empty
variable counts as unset. Relative paths start from that directory; \`~\` is the home directory. Settings marked
*environment only* are not read from the project file. A malformed value or a combination that cannot work stops the
start and says why; an unknown name gives a warning. \`svc settings\` shows the values in force.
`;

const HEADER = '| Setting | Key | Type | Default | Meaning | Marks |\n|---|---|---|---|---|---|';

export function renderMarkdown(): string {
  const areas = Map.groupBy(settingsTable, (entry) => entry.area);
  const sections = [...areas].map(
    ([area, entries]) => `## ${area}\n\n${HEADER}\n${entries.map(tableRow).join('\n')}\n`,
  );
  return [INTRODUCTION, ...sections].join('\n');
}

function tableRow({ row, configKey, environmentName }: SettingEntry): string {
  const key = row.block === null ? `\`${configKey}\`` : `\`${configKey}\`, \`[tool.svc.${row.block}]\``;
  const cells = [
    `\`${environmentName}\``,
    row.environmentOnly ? '' : key,
    row.kind.label,
    hasLiteralDefault(row) ? `\`${defaultWords(row)}\`` : defaultWords(row),
    row.meaning,
    marksOf(row).join(', '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
