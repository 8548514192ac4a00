// How the files of values are called on the wire, by what they hold.
const extensions: Readonly<Record<string, string>> = {
  'arrow/ipc': '.arrow',
  'json/object': '.json',
  'pickle/object': '.pickle',
  'module/import': '.module.json',
  'module/cell': '.cell_module.json',
  'module/cell-instance': '.cell_instance.pickle',
  'cell/remade': '.remade.json',
  'application/x-r-rds': '.rds',
  'dir/tar': '.dir.tar',
};

export const extensionOf = (format: string): string => extensions[format] ?? '.bin';
