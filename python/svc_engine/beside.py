"""Files beside a notebook that its cells name: data that they read, modules that they import. Nothing is opened: names of
files come in, those that are meant go out. A name that cells put together is read as far as it is written down; what is not
known of it may be anything.
"""

import ast
import fnmatch
import posixpath
import re

from svc_engine.cell_trees import cell_tree

# Functions that read the file which they are given first.
_READS = re.compile(r"read|read_\w+|load|load_\w+|loadtxt|loadmat|open|imread|genfromtxt|fromfile|scan_\w+|from_file")
_NOT_READ = {"load_ext", "load_dataset"}
# Functions that read what lies in a folder.
_LISTS = {
    "listdir", "scandir", "walk", "glob", "iglob", "rglob", "iterdir", "chdir", "load_files", "ImageFolder", "flow_from_directory",
    "image_dataset_from_directory", "read_parquet", "ImageCollection", "imread_collection",
}  # fmt: skip
_JOINS = {"join", "joinpath", "Path", "PurePath", "PosixPath", "str", "abspath", "realpath", "normpath", "expanduser"}
_ANYTHING = "*"
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_LONGEST = 1000


class Named:
    """The files that the cells name, by the places of the cells: those that are beside the notebook, and those that a cell reads
    and that are not there. `texts`: what is known of the modules among them, by path."""

    def __init__(self, beside, texts=None):
        self._beside = sorted(beside)
        self.texts = texts or {}
        self._files = set(beside)
        self._folders = {place for path in beside for place in _parents(path)}
        self._names = {}  # what `DATA = "data"` of a cell above holds
        self.found, self._read, self._made = {}, {}, set()

    @property
    def missing(self):
        there = {path: cells for path, cells in self._read.items() if path not in self._files and path not in self._made}
        return {path: cells for path, cells in there.items() if not any(fnmatch.fnmatchcase(path, made) for made in self._made)}

    def look(self, source, cell):
        read = cell_tree(source)
        for node in read.nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self._names[node.targets[0].id] = node.value
        _Reader(self, cell, self._names).visit(read.tree)

    def note(self, path, cell, how):
        """A path as a cell names it, to be `read`, `listed`, `given` to something that may make it, or just `said`."""
        path = _tidied(path)
        if how == "read" and _ANYTHING not in path and _EXTENSION.search(path):
            cells = self._read.setdefault(path, [])
            cells.extend([] if cell in cells else [cell])
        elif how == "given":
            self._made.add(path)
        for file in self._meant(path, how):
            self._find(file, cell)

    def _meant(self, path, how):
        if re.search(r"[*?[]", path):
            known = path.strip("*/")
            is_told = "/" in known or _EXTENSION.search(known) or (how == "listed" and path != _ANYTHING)
            return [file for file in self._beside if _matches(file, path)] if is_told else []
        if path in self._files:
            return [path] if how == "read" or "/" in path or "." in path else []
        if path in self._folders and (how == "listed" or "/" in path):
            return [file for file in self._beside if file.startswith(f"{path}/")]
        return []

    def module(self, name, cell):
        """The files of a module that lies beside the notebook; a package is all that it holds."""
        files = [file for file in (f"{name}.py", f"{name}.ipynb") if file in self._files]
        files += [file for file in self._beside if file.startswith(f"{name}/") and file.endswith(".py")]
        for file in files:
            self._find(file, cell)
        return files

    def _find(self, file, cell):
        cells = self.found.setdefault(file, [])
        if cell not in cells:
            cells.append(cell)


class _Reader(ast.NodeVisitor):
    def __init__(self, named, cell, names):
        self._named, self._cell, self._names = named, cell, names

    def visit_Call(self, node):
        name = _called(node.func)
        if isinstance(node.func, ast.Attribute) and _is_shell(node.func.value):
            return self._words(node)
        if name in _JOINS and (path := self._path(node)) is not None:
            return self._note(path, "said")
        self.visit(node.func)
        first = self._listed(node, name) if name in _LISTS else self._path(node.args[0]) if node.args else None
        if first is not None:
            reads = _READS.fullmatch(name) and name not in _NOT_READ and not _writes(node)
            self._note(first, "listed" if name in _LISTS else "read" if reads else "given")
        for argument in [*node.args[first is not None :], *(word.value for word in node.keywords)]:
            path = self._path(argument)
            if path is None:
                self.visit(argument)
            else:
                self._note(path, "given")

    def _listed(self, node, name):
        """`Path("data").glob("*.csv")` is asked of a folder, `glob("data/*.csv")` is not."""
        path = self._path(node.args[0]) if node.args else None
        base = self._path(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if base is None or name not in ("glob", "rglob", "iterdir"):
            return path
        return f"{base}/{'**/' if name == 'rglob' else ''}{path or _ANYTHING}"

    def visit_BinOp(self, node):
        path = self._path(node)
        if path is None:
            self.generic_visit(node)
        else:
            self._note(path, "said")

    def visit_JoinedStr(self, node):
        self._note(self._path(node) or "", "said")

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self._note(node.value, "said")

    def _note(self, path, how):
        self._named.note(path, self._cell, how)

    def _words(self, node):
        """A command or a magic: any word of it may be a file."""
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                for word in re.split(r"[\s'\"<>|;&=()]+", part.value[:_LONGEST]):
                    self._note(word, "given")
                    self._note(word, "listed")

    def _path(self, node, depth=0):
        """What is written down of a path: a `*` for each piece that is not; None where nothing is."""
        if depth > 8:
            return None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            held = self._names.get(node.id)
            return None if held is None else self._path(held, depth + 1)
        if isinstance(node, ast.JoinedStr):
            pieces = [self._piece(piece, depth) for piece in node.values]
            return re.sub(r"\*+", _ANYTHING, "".join(pieces))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
            left, right = self._path(node.left, depth + 1), self._path(node.right, depth + 1)
            if left is None and (right is None or isinstance(node.op, ast.Div)):
                return None
            between = "/" if isinstance(node.op, ast.Div) else ""
            return f"{_ANYTHING if left is None else left}{between}{_ANYTHING if right is None else right}"
        if isinstance(node, ast.Call) and _called(node.func) in _JOINS:
            return self._joined(node, depth)
        return None

    def _joined(self, node, depth):
        method = isinstance(node.func, ast.Attribute) and node.func.attr == "joinpath"
        pieces = [*([node.func.value] if method else []), *node.args]
        if _called(node.func) == "join" and not (isinstance(node.func, ast.Attribute) and _called(node.func.value) == "path"):
            return None  # that of a text
        texts = [self._path(piece, depth + 1) for piece in pieces]
        if not texts or texts[0] is None:
            return None
        return posixpath.join(*[_ANYTHING if text is None else text for text in texts])

    def _piece(self, piece, depth):
        if isinstance(piece, ast.FormattedValue):
            text = self._path(piece.value, depth + 1) if piece.format_spec is None else None
            return _ANYTHING if text is None else text
        return piece.value


def _called(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_shell(node):
    return isinstance(node, ast.Call) and _called(node.func) == "get_ipython"


def _writes(node):
    """`open(path, "w")`; a mode is the second of `open` and of it alone."""
    if _called(node.func) != "open":
        return False
    modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
    return any(isinstance(mode, ast.Constant) and re.search("[wax]", str(mode.value)) for mode in modes)


def _tidied(path):
    """Without detours; nothing for what is no path."""
    is_none = not path or len(path) > _LONGEST or re.search(r"[\n\0:]", path)
    return "" if is_none else posixpath.normpath(path)


def _parents(path):
    names = path.split("/")[:-1]
    return ["/".join(names[: count + 1]) for count in range(len(names))]


def _matches(file, pattern):
    """As a shell does: a `*` stays within its folder, `**` does not."""
    if "**" in pattern:
        return fnmatch.fnmatchcase(file, pattern) or fnmatch.fnmatchcase(file, pattern.replace("**/", ""))
    files, patterns = file.split("/"), pattern.split("/")
    return len(files) == len(patterns) and all(map(fnmatch.fnmatchcase, files, patterns))
