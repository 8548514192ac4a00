// The kinds a row of the settings table may have.

export {
  basePath,
  databaseUrl,
  headerName,
  host,
  hostPatternFlaw,
  originFlaw,
  path,
  pathOrJson,
  postgresUrl,
  url,
} from './addresses.ts';
export { jsonObject } from './json.ts';
export type { Kind, Places, Reading, SettingFlaw } from './kind.ts';
export { commaList, jsonArray } from './lists.ts';
export { atLeast, choice, choiceInAnyCase, flag, integer, positive, text, textOrEmpty } from './scalars.ts';
