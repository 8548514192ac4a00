"""Reads notebooks of other programs: Jupyter's `.ipynb` (nbformat 3 and 4), scripts with `# %%` cells, marimo's `.py`. Gives
cells in our languages, the packages they need, and a report of what became of everything.
"""

import ast
import hashlib
import re

from svc_engine import lambdas, outs, private_names, run_scripts, stars, unnamed
from svc_engine.beside import Named
from svc_engine.carried import Carrier
from svc_engine.declared import packages_of
from svc_engine.explicit.ambiguous import ambiguous_names
from svc_engine.foretold import Foreteller
from svc_engine.magics import Converted

_OWN = {"code": ("sql", "r"), "raw": ("prompt", "widget")}


class Unreadable(ValueError):
    pass


def convert_ipynb(params):
    book = params["notebook"]
    if not isinstance(book, dict):
        raise Unreadable(f"expected JSON object at top level, got {type(book).__name__}")
    cells = _cells_of(book)
    language = _language_of(book)
    notes, found, skipped, python, others = Converted(), [], [], [], []
    for cell in cells:
        if not isinstance(cell, dict):
            raise Unreadable(f"expected each cell to be an object, got {type(cell).__name__}")
        kind = cell.get("cell_type")
        text = _text_of(cell)
        count = len(found)
        if kind in ("markdown", "heading"):
            level = cell.get("level", 1) if kind == "heading" else None
            text = _with_attachments(cell, text)
            found.append({"language": "markdown", "source": _ended(f"{'#' * level} {text}" if level else text)})
        elif own := _own_language(cell, kind):
            found.append({"language": own, "source": _ended(_without_magic(text)), "outputs": _outputs_of(cell)})
        elif kind == "code" and language == "r":
            found.append({"language": "r", "source": _ended(text), "outputs": _outputs_of(cell)})
        elif kind == "code":
            source = notes.convert(text, len(found))
            found.append({"language": "python", "source": _ended(source), "outputs": _outputs_of(cell)})
            python.append(outs.Cell(len(found) - 1, found[-1], cell))
        elif kind is None:
            notes.warnings.append("A cell without a type was left out.")
        else:
            skipped.append(str(kind))
            others.append({"after": len(found) - 1, "cell": cell})
        if len(found) > count:
            found[-1]["jupyter"] = _only_jupyters(cell)
            if kind in ("markdown", "code") and not _own_language(cell, kind):
                found[-1]["jupyter"]["source"] = text
    if language == "r":
        notes.warnings.append("R cells were taken over as they are; add their packages to the notebook's R library.")
    _set_below([cell.found for cell in python])
    outs.resolve(python, notes)
    placed = [(cell.place, cell.found) for cell in python]
    run_scripts.name_results(placed, params.get("modules") or {}, notes)
    stars.name_imports(placed, notes)
    private_names.share(found, notes)
    unnamed.name_them(placed, notes)
    lambdas.write_functions(placed, notes)
    _foretell(python, notes)
    _hand_on_changes(found, notes)
    for cell in found:
        _note_translation(cell)
    needs = _needs(params, notes, [(cell.place, cell.found["source"]) for cell in python], book.get("metadata"))
    return {
        "cells": found,
        **needs,
        "jupyter": {"metadata": _without_ours(book.get("metadata")), "others": others},
        "report": {
            "markdown_cells": sum(cell["language"] == "markdown" for cell in found),
            "code_cells": sum(cell["language"] != "markdown" for cell in found),
            "suppressed_outputs": len(notes.texts("silenced")),
            "skipped_cells": skipped,
            "translated_magics": notes.texts("translated", "kept"),
            "dropped_magics": notes.texts("dropped"),
            "dropped_shells": [],
            "captured_deps": needs["packages"],
            "warnings": notes.warnings,
            "findings": notes.findings,
            "ambiguous": _ambiguous(found),
        },
    }


def convert_script(params):
    """A Python file: marimo's cells are its decorated functions, others are parted by `# %%`."""
    text, notes = params["text"], Converted()
    is_marimos = re.search(r"^\s*import marimo", text, re.M) is not None
    cells = _marimo_cells(text) if is_marimos else _percent_cells(text)
    found = []
    for language, source in cells:
        source = notes.convert(source, len(found)) if language == "python" else source
        if source.strip():
            found.append({"language": language, "source": _ended(source)})
    if not is_marimos:  # where they stay within their cell, too
        private_names.share(found, notes)
    lambdas.write_functions([(place, cell) for place, cell in enumerate(found) if cell["language"] == "python"], notes)
    _hand_on_changes(found, notes)
    python = [(place, cell["source"]) for place, cell in enumerate(found) if cell["language"] == "python"]
    needs = _needs(params, notes, python)
    needs["packages"] = [name for name in needs["packages"] if name != "marimo"]
    return {
        "cells": found,
        **needs,
        "report": {
            "markdown_cells": sum(cell["language"] == "markdown" for cell in found),
            "code_cells": sum(cell["language"] == "python" for cell in found),
            "suppressed_outputs": len(notes.texts("silenced")),
            "skipped_cells": [],
            "translated_magics": notes.texts("translated", "kept"),
            "dropped_magics": notes.texts("dropped"),
            "dropped_shells": [],
            "captured_deps": needs["packages"],
            "warnings": notes.warnings,
            "findings": notes.findings,
            "ambiguous": _ambiguous(found),
        },
    }


def _needs(params, notes, sources, metadata=None):
    """Packages and files that the cells need; `beside`: the files that lie beside the notebook, `modules`: the texts of those in Python."""
    named = Named(params.get("beside", []), params.get("modules"))
    for place, source in sources:
        named.look(source, place)
    packages, optional = packages_of(metadata, notes, sources, named)
    files = [{"path": path, "cells": cells, "is_beside": True} for path, cells in sorted(named.found.items())]
    missing = [{"path": path, "cells": cells, "is_beside": False} for path, cells in sorted(named.missing.items())]
    return {"packages": packages, "optional": optional, "files": files + missing}


def _set_below(cells):
    """A variable that `%env` sets in one cell is set in those below it that name it."""
    known = {}
    for cell in cells:
        own = dict(re.findall(r"^# @env (\w+)=(.*)$", cell["source"], re.M))
        named = [name for name in known if name not in own and re.search(rf"\b{name}\b", cell["source"])]
        cell["source"] = "".join(f"# @env {name}={known[name]}\n" for name in named) + cell["source"]
        known.update(own)


def _foretell(cells, notes):
    teller = Foreteller()
    for cell in cells:
        for line, words in teller.foretell(cell.found["source"], cell.place + 1, cell.failed):
            notes.findings.append({"cell": cell.place, "line": line, "kind": "differs", "text": words})


def _hand_on_changes(cells, notes):
    """What cells change in place is handed on to the cells below, and the report says so."""
    scout, all_lines, figures = Carrier(), [], {}
    for cell in cells:
        if cell["language"] == "python":
            scout.hand_on(cell["source"])
    carrier = Carrier(scout.needed)
    for at, cell in enumerate(cells):
        if cell["language"] != "python":
            continue
        last = cell["source"].rstrip("\n").count("\n") + 1
        cell["source"], lines = carrier.hand_on(cell["source"])
        all_lines.extend(lines)
        notes.findings.extend({"cell": at, "line": last, "kind": "translated", "text": line} for line in [*lines, *carrier.told])
        for figure in carrier.continued:
            notes.findings.append({"cell": at, "line": last, "kind": "continued", "text": figure, "above": figures.get(figure, at)})
        figures.update({figure: at for figure in carrier.drawn})
    if all_lines:
        words = ", ".join(f"`{line}`" for line in dict.fromkeys(all_lines))
        notes.warnings.append(
            f"Changed in place by cells that did not make it. A line at their beginning hands the change on to cells below: {words}."
        )


def _ambiguous(cells):
    return ambiguous_names({"cells": [{"reads": [], "defines": [], **cell} for cell in cells]})


def _percent_cells(text):
    kind, lines = "python", []
    for line in text.split("\n"):
        mark = re.match(r"^#\s*%%(.*)$", line)
        if mark is None:
            lines.append(line)
            continue
        yield _percent_cell(kind, lines)
        kind, lines = ("markdown" if re.search(r"\[(markdown|md)\]", mark[1]) else "python"), []
    yield _percent_cell(kind, lines)


def _percent_cell(kind, lines):
    if kind == "markdown":
        lines = [re.sub(r"^#\s?", "", line) for line in lines]
    return kind, "\n".join(lines).strip("\n")


def _marimo_cells(text):
    try:
        tree = ast.parse(text)
    except SyntaxError as problem:
        raise Unreadable(f"the script is not valid Python: {problem.msg} (line {problem.lineno})") from None
    for statement in tree.body:
        is_cell = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            "cell" in ast.unparse(decorator) for decorator in statement.decorator_list
        )
        if not is_cell:
            continue
        body = [line for line in statement.body if not isinstance(line, ast.Return)]
        if not body:
            continue
        lines = text.split("\n")[body[0].lineno - 1 : body[-1].end_lineno]
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        source = "\n".join(line[indent:] for line in lines)
        words = re.fullmatch(r"\s*mo\.md\(\s*(?:r|f|rf|fr)?(\"\"\"|'''|\"|')(.*)\1\s*\)\s*", source, re.S)
        yield ("markdown", "\n".join(line.strip() for line in words[2].strip().split("\n"))) if words else ("python", source)


def _cells_of(book):
    if isinstance(book.get("worksheets"), list):  # nbformat 3
        sheets = [sheet for sheet in book["worksheets"] if isinstance(sheet, dict)]
        return [cell for sheet in sheets for cell in sheet.get("cells", [])]
    cells = book.get("cells", [])
    if not isinstance(cells, list):
        raise Unreadable(f"expected 'cells' to be a list, got {type(cells).__name__}")
    return cells


def _language_of(book):
    about = book.get("metadata") if isinstance(book.get("metadata"), dict) else {}
    kernel = about.get("kernelspec") if isinstance(about.get("kernelspec"), dict) else {}
    info = about.get("language_info") if isinstance(about.get("language_info"), dict) else {}
    return str(kernel.get("language") or info.get("name") or "python").lower()


def _text_of(cell):
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(map(str, source))
    return str(source).replace("\r\n", "\n").strip("\n")


def _own_language(cell, kind):
    """What a cell was that we exported and Jupyter has no kind for."""
    about = cell.get("metadata") if isinstance(cell.get("metadata"), dict) else {}
    own = about.get("svc") if isinstance(about.get("svc"), dict) else {}
    language = own.get("language")
    return language if language in _OWN.get(kind, ()) else None


def _without_ours(metadata):
    return {name: value for name, value in metadata.items() if name != "svc"} if isinstance(metadata, dict) else {}


def _only_jupyters(cell):
    """What a cell of ours has no place for."""
    count = cell.get("execution_count", cell.get("prompt_number"))
    attachments = cell.get("attachments")
    known = {
        "id": cell["id"] if isinstance(cell.get("id"), str) and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"]) else None,
        "metadata": _without_ours(cell.get("metadata")) or None,
        "attachments": attachments if isinstance(attachments, dict) and attachments else None,
        "execution_count": count if isinstance(count, int) and not isinstance(count, bool) else None,
    }
    return {name: value for name, value in known.items() if value is not None}


def _note_translation(cell):
    """The text as it came is kept where it is another now, with the digest of what it became."""
    came = cell["jupyter"].pop("source", None)
    became = cell["source"].strip()
    if came is not None and came.strip() != became:
        cell["jupyter"]["source"] = came
        cell["jupyter"]["became_sha256"] = hashlib.sha256(became.encode("utf-8", "surrogatepass")).hexdigest()


def _without_magic(text):
    return re.sub(r"\A%%(sql|R)[^\n]*\n?", "", text)


def _outputs_of(cell):
    outputs = cell.get("outputs")
    return [output for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []


def _with_attachments(cell, text):
    """Pictures that lie in the cell stand in its text, as data."""
    attached = cell.get("attachments")
    for name, bundle in attached.items() if isinstance(attached, dict) else ():
        for mime, data in bundle.items() if isinstance(bundle, dict) else ():
            if mime.startswith("image/") and isinstance(data, str):
                text = text.replace(f"](attachment:{name})", f"](data:{mime};base64,{data.strip()})")
    return text


def _ended(source):
    source = source.strip("\n").rstrip()
    return f"{source}\n" if source else ""
