// The door of the TOML layout: reading a document as parsed data and as text that edits leave alone.
export { putKey, putTable, removeKey, sameData, sortEntries, tableBlocks } from './edit.ts';
export { type Element, elementsOf, withElements } from './elements.ts';
export { type Block, type Entry, type Layout, printLayout, scanLayout } from './layout.ts';
export { isTable, printValue, type RawToml, type TomlData, type TomlTable, tomlFloat, tomlRaw } from './print.ts';
