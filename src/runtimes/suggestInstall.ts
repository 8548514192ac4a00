// Which package to install when a module is missing: the name of the import is not always the name of the package.

import type { SuggestedInstall } from './runtime.ts';

const PACKAGE_OF_MODULE: Readonly<Record<string, string>> = {
  attr: 'attrs',
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  dotenv: 'python-dotenv',
  gi: 'pygobject',
  IPython: 'ipython',
  jose: 'python-jose',
  PIL: 'Pillow',
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
};

/** Looks at what a failed cell said. The last module named is the one that stopped it. */
export function suggestPythonInstall(...texts: readonly string[]): SuggestedInstall | null {
  for (const text of texts) {
    const found = [...text.matchAll(/No module named '([\w.]+)'/g)].at(-1)?.[1]?.split('.')[0];
    if (found === undefined) continue;
    const name = Object.hasOwn(PACKAGE_OF_MODULE, found) ? PACKAGE_OF_MODULE[found] : undefined;
    return { package: name ?? found, language: 'python' };
  }
  return null;
}
