// Which package to install when a module is missing: the name of the import is not always the name of the package.

export interface SuggestedInstall {
  readonly package: string;
  readonly language: 'python' | 'r';
  /** What the cell would miss next. */
  readonly also?: readonly string[] | undefined;
}

/** The same as `svc_engine/declared.py` has for imported notebooks. */
export const PACKAGE_OF_MODULE: Readonly<Record<string, string>> = {
  attr: 'attrs',
  Bio: 'biopython',
  bs4: 'beautifulsoup4',
  community: 'python-louvain',
  Crypto: 'pycryptodome',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  faiss: 'faiss-cpu',
  fitz: 'PyMuPDF',
  gi: 'pygobject',
  git: 'GitPython',
  google: 'google-api-python-client',
  gym: 'gymnasium',
  hydra: 'hydra-core',
  igraph: 'python-igraph',
  IPython: 'ipython',
  jose: 'python-jose',
  jwt: 'PyJWT',
  Levenshtein: 'python-Levenshtein',
  lightning_fabric: 'lightning',
  magic: 'python-magic',
  mpl_toolkits: 'matplotlib',
  MySQLdb: 'mysqlclient',
  OpenSSL: 'pyOpenSSL',
  osgeo: 'GDAL',
  PIL: 'Pillow',
  pkg_resources: 'setuptools',
  pptx: 'python-pptx',
  psycopg2: 'psycopg2-binary',
  pylab: 'matplotlib',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  skopt: 'scikit-optimize',
  umap: 'umap-learn',
  usb: 'pyusb',
  wx: 'wxPython',
  yaml: 'pyyaml',
  zmq: 'pyzmq',
};

/**
 * Looks at what a failed cell said. The last module named is the one that stopped it. `absent`: modules that it would miss next; a
 * worker of this project told of their packages, whose names stay as they are.
 */
export function suggestPythonInstall(
  texts: readonly string[],
  absent: readonly string[] = [],
): SuggestedInstall | null {
  for (const text of texts) {
    const found = [...text.matchAll(/No module named '([\w.]+)'/g)].at(-1)?.[1]?.split('.')[0];
    if (found === undefined) continue;
    const also = [...new Set(absent.map(packageOf))].filter((name) => name !== packageOf(found));
    return { package: packageOf(found), language: 'python', ...(also.length === 0 ? {} : { also }) };
  }
  return null;
}

const packageOf = (module: string): string =>
  (Object.hasOwn(PACKAGE_OF_MODULE, module) ? PACKAGE_OF_MODULE[module] : undefined) ?? module;

export function suggestRInstall(text: string): SuggestedInstall | null {
  const found = /there is no package called ['‘’]([A-Za-z][\w.]*)['‘’]/.exec(text)?.[1];
  return found === undefined ? null : { package: found, language: 'r' };
}
