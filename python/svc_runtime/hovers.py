"""Reads what pyrefly says of a name, which is Markdown for editors: its signature in one line and its documentation as it was written."""

import html
import re
import typing

_SAID = re.compile(r"```python\n(.*?)\n```(?:\n---\n(.*))?", re.DOTALL)
_SUBJECT = re.compile(r"\((\w+)\) (\w+): (.*)", re.DOTALL)
# The object that a method belongs to is written before it.
_OWNER = re.compile(r"(?m)^\s*(?:self|cls)\s*:\s*(?:type\[)?(?:\w+\.)*(\w+).*\n")
_UNKNOWN = re.compile(r" \| Unknown\b|: Unknown\b(?!\[)| -> Unknown$")
# Links to the types that are mentioned, and where a type was inferred.
_ABOUT_TYPES = re.compile(r"\n*(?:Go to \[|\*\*Type source\*\*).*", re.DOTALL)


class Meaning(typing.NamedTuple):
    # `variable`, `function`, `method`, `class`, `module` …
    kind: str
    name: str
    # The class that a method belongs to, by its bare name.
    owner: "str | None"
    signature: str
    text: str


def read(said):
    """None where it says nothing of a name, or does not know it."""
    found = _SAID.match(said)
    subject = found and _SUBJECT.match(found[1])
    if subject is None or subject[3].strip() == "Unknown":
        return None
    kind, name, told = subject.groups()
    owner = _OWNER.search(told)
    signature = _signature(name, told)
    if owner and name in ("__init__", "__new__"):
        # Of a call of the class: that is what stands there.
        signature = re.sub(r" -> [^()]*\Z", "", signature).replace(name, owner[1], 1)
    return Meaning(kind, name, owner and owner[1], signature, _documentation(found[2] or ""))


def _signature(name, told):
    """Of several forms the first."""
    form = re.sub(r"\A\s*(?:@\w+\s+)*(?:async )?def \w+", "", _OWNER.sub("", told)).split(": ...")[0]
    form = re.sub(r"\A\[[^(]*(?=\()", "", form)  # what it is generic in
    line = re.sub(r"\s+", " ", form).replace(" :", ":").replace("( ", "(").replace(" )", ")").strip()
    line = _UNKNOWN.sub("", line)
    return name + line if line.startswith("(") else f"{name}: {line}"


def _documentation(text):
    lines = html.unescape(_ABOUT_TYPES.sub("", text)).replace("\xa0", " ").split("\n")
    return "\n".join(line.rstrip() for line in lines if not re.fullmatch(r"\s*```\w*\s*", line)).strip()
