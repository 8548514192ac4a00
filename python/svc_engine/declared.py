"""What packages a notebook says itself that it needs, with their versions: in its metadata, in a block of a cell as scripts have
it (`# /// script`), in what its cells install, and in what they import.
"""

import ast
import re
import sys

from svc_engine.cell_trees import cell_tree
from svc_engine.walking import nodes_within

_PACKAGES = {
    "sklearn": "scikit-learn", "cv2": "opencv-python", "PIL": "Pillow", "yaml": "PyYAML", "bs4": "beautifulsoup4",
    "dotenv": "python-dotenv", "dateutil": "python-dateutil", "skimage": "scikit-image", "Crypto": "pycryptodome",
    "OpenSSL": "pyOpenSSL", "jwt": "PyJWT", "MySQLdb": "mysqlclient", "psycopg2": "psycopg2-binary", "attr": "attrs",
    "git": "GitPython", "Bio": "biopython", "google": "google-api-python-client", "mpl_toolkits": "matplotlib",
    "pkg_resources": "setuptools", "gym": "gymnasium", "umap": "umap-learn", "community": "python-louvain", "fitz": "PyMuPDF",
    "docx": "python-docx", "pptx": "python-pptx", "serial": "pyserial", "usb": "pyusb", "magic": "python-magic", "Levenshtein": "python-Levenshtein",
    "hydra": "hydra-core", "faiss": "faiss-cpu", "lightning_fabric": "lightning", "skopt": "scikit-optimize", "pylab": "matplotlib",
    "osgeo": "GDAL", "wx": "wxPython", "zmq": "pyzmq", "igraph": "python-igraph",
}  # fmt: skip
_NOT_PACKAGES = {"IPython", "ipykernel", "__future__", "__main__"}
_REQUIREMENT = re.compile(r"^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[\w., -]+\])?\s*(?:[<>=!~]=?[^;]*)?(?:;.*)?$")
_BLOCK = re.compile(r"^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$", re.M)
_CATCHES_IMPORT = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def packages_of(metadata, notes, sources, named):
    """(needed, optional): what the notebook itself declares comes first, since it may be pinned; then what cells install and
    what they import. `sources` by the places of cells; modules that `named` finds beside the notebook are no packages."""
    declared = [*_in_metadata(metadata), *(line for _, source in sources for line in _in_block(source)), *notes.packages]
    bad = [text for text in declared if not _REQUIREMENT.match(text)]
    if bad:
        notes.warnings.append(f"Not taken as packages: {', '.join(bad[:3])}{' and others' if len(bad) > 3 else ''}.")
    needed = [text for text in declared if _REQUIREMENT.match(text)]
    optional = []
    for place, source in sources:
        for package, is_needed in _imported_from(source, place, named, set()):
            (needed if is_needed else optional).append(package)
    kept = _first_versions(needed)
    return list(kept.values()), [text for name, text in _first_versions(optional).items() if name not in kept]


def _first_versions(requirements):
    """By name; the first that says which version is meant."""
    kept = {}
    for text in requirements:
        name = re.match(r"[A-Za-z0-9._-]+", text)[0]
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key not in kept or (_is_bare(kept[key]) and not _is_bare(text)):
            kept[key] = text
    return kept


def _is_bare(requirement):
    return re.search(r"[<>=!~]", requirement.partition(";")[0]) is None


def _in_metadata(metadata):
    """Lists, texts with a line each, or tables of names and versions, as several tools write them."""
    if not isinstance(metadata, dict):
        return []
    own = metadata.get("svc") if isinstance(metadata.get("svc"), dict) else {}
    return [line for held in (own.get("dependencies"), metadata.get("dependencies"), metadata.get("requirements")) for line in _lines(held)]


def _lines(held):
    if isinstance(held, str):
        lines = [line.partition("#")[0].strip() for line in held.split("\n")]
        return [line for line in lines if line and not line.startswith("-")]
    if isinstance(held, list):
        return [line.strip() for line in held if isinstance(line, str) and line.strip()]
    if isinstance(held, dict):
        packages = held.get("packages", held)
        return [_versioned(name, version) for name, version in packages.items()] if isinstance(packages, dict) else []
    return []


def _versioned(name, version):
    """`"==1.0"`, `"1.0"`, `"*"`, or a table that holds one."""
    if isinstance(version, dict):
        version = version.get("version")
    version = version.strip() if isinstance(version, str) else ""
    if version in ("", "*"):
        return name
    return f"{name}=={version}" if version[0].isdigit() else f"{name}{version}"


def _in_block(source):
    import tomllib

    for block in _BLOCK.finditer(f"{source}\n"):
        text = "".join(line[2:] if line.startswith("# ") else line[1:] for line in block["content"].splitlines(keepends=True))
        try:
            dependencies = tomllib.loads(text).get("dependencies")
        except tomllib.TOMLDecodeError:
            continue
        yield from _lines(dependencies)


def _imported_from(source, place, named, seen):
    """(package, whether the cell fails without it), those of modules included that lie beside the notebook."""
    for module, package, is_needed in _imported(source):
        files = named.module(module, place)
        if not files:
            yield package, is_needed
        for file in files:
            if file in named.texts and file not in seen:
                seen.add(file)
                named.look(named.texts[file], place)
                yield from _imported_from(named.texts[file], place, named, seen)


def _imported(source):
    """(module, package, whether the cell fails without it)."""
    nodes = cell_tree(source).nodes
    spared = {id(node) for part in nodes if _goes_on_without(part) for line in part.body for node in [line, *nodes_within(line)]}
    for node in nodes:
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            modules = [node.module]
        for module in modules:
            root = module.split(".")[0]
            if root in sys.stdlib_module_names or root in _NOT_PACKAGES:
                continue
            google = f"google-cloud-{module.split('.')[2].replace('_', '-')}" if module.startswith("google.cloud.") else None
            yield root, google or _PACKAGES.get(root, root), id(node) not in spared


def _goes_on_without(node):
    """A `try` that does something else when an import fails, or what only a checker of types reads."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING"
    return isinstance(node, ast.Try) and any(_catches_import(handler) and not _raises(handler) for handler in node.handlers)


def _catches_import(handler):
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(one) in _CATCHES_IMPORT for one in caught)


def _raises(handler):
    return any(isinstance(node, ast.Raise) for line in handler.body for node in ast.walk(line))
