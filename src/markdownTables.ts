// Tables in Markdown, for whoever renders it: each row is filled up to the width of the first one, so that a text of 40 kB can
// stand for more cells than fit into the memory.

/** More than anybody reads. */
const mostCells = 50_000;

/** Stands before the renderer's own rule: false leaves the text to that one, undefined says that it is no table. */
export function table(source: string): false | undefined {
  const first = headOfTable.exec(source)?.[1];
  if (first === undefined) return false;
  const end = emptyLine.exec(source)?.index ?? source.length;
  let rows = 0;
  for (let at = source.indexOf('\n'); at >= 0 && at < end; at = source.indexOf('\n', at + 1)) rows += 1;
  return rows * first.split('|').length > mostCells ? undefined : false;
}

/** The names of the columns, above the line that makes them a table. */
const headOfTable = /^([^\n]*)\n[ |:-]+(?:\n|$)/;
const emptyLine = /\n[ \t]*(?:\n|$)/;
