"""Magics of one line. Those that would change a kernel say that there is nothing to change."""

import os
import re
import shlex
import sys

from svc_runtime import programs

_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")
_WITH_VALUE = {"-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-e", "-f", "-t", "-n", "--name"}
_FRESH = "each run of a cell begins with fresh modules"
_HIDDEN = {"In", "Out", "Markdown", "display", "exit", "get_ipython", "quit", "svc"}


class PackagesMissing(ImportError):
    __module__ = "builtins"


def _nothing(name, why):
    def run(line, shell):
        print(f"%{name}: nothing to do, {why}")

    return run


def _load_extension(line, shell):
    why = _FRESH if line == "autoreload" else "extensions of IPython have no kernel here to extend"
    print(f"%load_ext {line}: nothing to do, {why}")


def _matplotlib(line, shell):
    if line and line not in ("inline", "agg", "module://svc_runtime.figures"):
        print(f"%matplotlib {line}: figures are shown as pictures below the cell", file=sys.stderr)


def _config(line, shell):
    results = re.fullmatch(r"InteractiveShell\.ast_node_interactivity\s*=\s*[\"'](\w+)[\"']", line)
    if results:
        shell.ast_node_interactivity = results[1]
        return
    found = re.fullmatch(r"InlineBackend\.figure_formats?\s*=\s*(.+)", line)
    formats = re.findall(r"\w+", found[1]) if found else []
    if "retina" in formats or "png2x" in formats:
        import matplotlib

        matplotlib.rcParams["savefig.dpi"] = 2 * matplotlib.rcParams["figure.dpi"]
    elif not found:
        print(f"%config {line}: nothing to do, there is no kernel to configure")


def _install(line, shell):
    words = shlex.split(line)
    if words[:1] != ["install"]:
        raise NotImplementedError(f"%pip {line} does not work here: the Environment panel shows and changes the packages")
    wanted, skip = [], False
    for word in words[1:]:
        if not skip and not word.startswith("-"):
            wanted.append(word)
        skip = not skip and word in _WITH_VALUE
    from importlib.metadata import PackageNotFoundError, version

    missing = []
    for requirement in wanted:
        name = _REQUIREMENT.match(requirement)
        try:
            print(f"{requirement}: the notebook has {name[0]} {version(name[0])}")
        except (TypeError, PackageNotFoundError):
            missing.append(requirement)
    if missing:
        raise PackagesMissing(
            f"A cell installs nothing. Add {', '.join(missing)} in the Environment panel, then remove this line: packages "
            "belong to the notebook and to the key of its results."
        )


def _run(line, shell):
    words = shlex.split(line)
    names = [word for word in words if not word.startswith("-")]
    if not names:
        raise ValueError("%run needs the name of a script: %run script.py")
    path = names[0] if os.path.splitext(names[0])[1] else f"{names[0]}.py"
    with open(path, encoding="utf-8") as file:
        source = file.read()
    if path.endswith(".ipynb"):
        raise NotImplementedError("%run takes scripts; import the notebook and read its results instead")
    from svc_runtime.ipython_syntax import translate

    text = translate(source) if path.endswith(".ipy") else source
    before, sys.argv = sys.argv, [path, *words[words.index(names[0]) + 1 :]]
    try:
        exec(compile(text, path, "exec", dont_inherit=True), shell.user_ns)
    finally:
        sys.argv = before


def _cd(line, shell):
    place = os.path.expanduser(shlex.split(line)[0]) if line.strip() else os.path.expanduser("~")
    os.chdir(place)
    print(os.getcwd())


def _ls(line, shell):
    programs.run(f"ls -F {line}")


def _env(line, shell):
    name, sign, value = (part.strip() for part in line.partition("=" if "=" in line else " "))
    if not name:
        return dict(os.environ)
    if not value and not sign.strip():
        if name not in os.environ:
            raise KeyError(f"The environment has no variable {name}; give a value to set it: %env {name}=…")
        return os.environ[name]
    os.environ[name] = value
    print(f"env: {name}={value}")
    return None


def _names(shell):
    return sorted(name for name in shell.user_ns if not name.startswith("_") and name not in _HIDDEN)


def _who(line, shell):
    names = _names(shell)
    print("\t ".join(names) if names else "Interactive namespace is empty.")


def _whos(line, shell):
    rows = [(name, type(shell.user_ns[name]).__name__, _in_words(shell.user_ns[name])) for name in _names(shell)]
    if not rows:
        print("Interactive namespace is empty.")
        return
    rows.insert(0, ("Variable", "Type", "Data/Info"))
    first, second = (max(len(row[at]) for row in rows) + 3 for at in (0, 1))
    lines = [f"{name:<{first}}{kind:<{second}}{words}".rstrip() for name, kind, words in rows]
    print("\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]]))


def _in_words(value):
    if hasattr(value, "shape"):
        return f"shape {value.shape}"
    if isinstance(value, (list, tuple, dict, set)):
        return f"n={len(value)}"
    text = repr(value).replace("\n", " ")
    return text if len(text) <= 60 else f"{text[:57]}..."


def _precision(line, shell):
    digits = line.strip()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.set_printoptions(precision=int(digits) if digits.isdigit() else 8)
    return f"%.{digits}f" if digits.isdigit() else digits or "%r"


def tell_about(subject, value_of, namespace, with_source):
    """The help of `name?`; with `name??` its source too."""
    import inspect

    if subject.startswith("%"):
        print(f"{subject} is a magic. %lsmagic lists those that work here.")
        return
    if "*" in subject:
        import fnmatch

        owner, _, pattern = subject.rpartition(".")
        names = dir(eval(owner, namespace)) if owner else namespace
        print("\n".join(f"{owner}.{name}".lstrip(".") for name in names if fnmatch.fnmatchcase(name, pattern)))
        return
    try:
        value = value_of()
    except (NameError, AttributeError):
        print(f"Object `{subject}` not found.")
        return
    print("\n".join(_told(subject, value, with_source, inspect)))


def _told(subject, value, with_source, inspect):
    if callable(value):
        try:
            yield f"Signature: {subject}{inspect.signature(value)}"
        except (TypeError, ValueError):
            pass
    yield f"Type: {type(value).__name__}"
    if not callable(value):
        yield f"Value: {_in_words(value)}"
    if with_source:
        try:
            yield f"Source:\n{inspect.getsource(value).rstrip()}"
            return
        except (OSError, TypeError):
            pass
    yield f"Docstring:\n{inspect.getdoc(value) or '<no docstring>'}"


BY_NAME = {
    **{name: _nothing(name, "there is no terminal") for name in ("colors", "pdb", "xmode")},
    "autoreload": _nothing("autoreload", _FRESH),
    "cd": _cd,
    "conda": _install,
    "config": _config,
    "env": _env,
    "load_ext": _load_extension,
    "ls": _ls,
    "lsmagic": lambda line, shell: print(shell.magics_that_work()),
    "mamba": _install,
    "matplotlib": _matplotlib,
    "pip": _install,
    "precision": _precision,
    "pwd": lambda line, shell: os.getcwd(),
    "reload_ext": _nothing("reload_ext", _FRESH),
    "reset": _nothing("reset", "each run of a cell begins with nothing but its inputs"),
    "run": _run,
    "set_env": _env,
    "who": _who,
    "who_ls": lambda line, shell: _names(shell),
    "whos": _whos,
}
