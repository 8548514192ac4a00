// Sources of cells that show what libraries show, without the libraries: by the methods that these have.

/** A figure as Plotly's own are: by its data alone. */
export const figureCell = (name: string, json: object): string =>
  [
    `# @name ${name}`,
    'class Figure:',
    '    def to_plotly_json(self):',
    '        return {}',
    '    def to_json(self):',
    `        return ${JSON.stringify(JSON.stringify(json))}`,
    'Figure()',
  ].join('\n');

/** A value that describes itself by `_repr_<kind>_`. */
export const reprCell = (name: string, kind: string, text: string): string =>
  `# @name ${name}\nclass Shown:\n    def _repr_${kind}_(self):\n        return ${JSON.stringify(text)}\nShown()`;

/** A value with a bundle of one type. */
export const bundleCell = (name: string, type: string, data: object): string =>
  [
    `# @name ${name}`,
    'import json',
    'class Bundle:',
    '    def _repr_mimebundle_(self, include=None, exclude=None):',
    `        return {${JSON.stringify(type)}: json.loads(${JSON.stringify(JSON.stringify(data))})}`,
    'Bundle()',
  ].join('\n');
