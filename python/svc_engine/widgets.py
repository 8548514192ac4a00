"""Widget cells: Python in form, never run. Each top-level `name = control(...)` with literal arguments is a control."""

import ast
import math

_POSITIONAL = {
    "slider": ("min", "max"),
    "number": ("default",),
    "dropdown": ("options",),
    "text": ("default",),
    "checkbox": ("default",),
}


def read_widgets(source):
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        reason = getattr(problem, "msg", None) or str(problem)
        return {"descriptors": [], "errors": [f"The cell is not valid syntax: {reason}"]}
    descriptors, errors = [], []
    for statement in tree.body:
        name = _target(statement)
        if name is None:
            continue
        try:
            descriptor = _control(name, statement.value)
            if any(other["name"] == name for other in descriptors):
                raise ValueError("it is defined twice; give one of them another name")
            descriptors.append(descriptor)
        except ValueError as problem:
            errors.append(f"{name}: {problem}")
    return {"descriptors": descriptors, "errors": errors}


def _target(statement):
    """The name of a statement that has the form of a control; others are ignored."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    is_call = isinstance(statement.value, ast.Call) and isinstance(statement.value.func, ast.Name)
    return target.id if isinstance(target, ast.Name) and is_call else None


def _control(name, call):
    kind = call.func.id
    if kind not in _POSITIONAL:
        raise ValueError(f"{kind} is not a control; there are {', '.join(_POSITIONAL)}")
    allowed = _POSITIONAL[kind]
    if len(call.args) > len(allowed):
        raise ValueError(f"{kind} takes at most {len(allowed)} arguments without a name ({', '.join(allowed)})")
    params = {key: _literal(argument) for key, argument in zip(allowed, call.args, strict=False)}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise ValueError("arguments must be written out; ** is not understood")
        params[keyword.arg] = _literal(keyword.value)
    _check(kind, params)
    default = params.get("default", _default(kind, params))
    if kind == "slider" and "step" not in params:
        step = _step(params.get("min"), params.get("max"))
        if step is not None:
            params["step"] = step
    whole = isinstance(default, int) and not isinstance(default, bool)
    return {"name": name, "kind": kind, "params": params, "default": default, "whole": whole}


def _check(kind, params):
    """Refuses arguments that no control can be drawn from."""
    if kind == "slider":
        for key in ("min", "max"):
            if key not in params:
                raise ValueError(f"a slider needs a number for {key}")
    if kind in ("slider", "number"):
        for key in ("min", "max", "step", "default"):
            if params.get(key) is not None and not _is_number(params[key]):
                raise ValueError(f"{key} must be a number")
        if params.get("step") is not None and params["step"] <= 0:
            raise ValueError("step must be more than 0")
    if kind == "dropdown" and not isinstance(params.get("options", []), list):
        raise ValueError("options must be a list")


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _literal(node):
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(f"{ast.unparse(node)} is not a literal value") from None
    return _plain(value)


def _plain(value):
    """The value as JSON has it; what JSON cannot say is refused."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        if not math.isfinite(value) or abs(value) > 2**53:
            raise ValueError(f"{value} is too large for a control")
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    raise ValueError(f"a {type(value).__name__} cannot be an argument of a control")


def _default(kind, params):
    if kind == "slider":
        return params.get("min")
    if kind == "dropdown":
        options = params.get("options")
        return options[0] if isinstance(options, list) and options else None
    return {"number": None, "text": "", "checkbox": False}[kind]


def _step(low, high):
    """A hundredth of the span, rounded to 1, 2 or 5 times a power of ten."""
    if not _is_number(low) or not _is_number(high) or low >= high:
        return None
    raw = (high - low) / 100
    power = 10.0 ** math.floor(math.log10(raw))
    share = raw / power
    factor = 1 if share < 1.5 else 2 if share < 3.5 else 5 if share < 7.5 else 10
    step = float(f"{factor * power:.12g}")
    return int(step) if isinstance(low, int) and isinstance(high, int) and step.is_integer() else step
