"""Settings that a notebook's cells share in Jupyter: how each is read, and how it is set again in another process.

A part belongs to a module: it counts from the moment the cell has that module. `read` gives plain values that can be compared and
pickled; `write` gets what `read` gave. Where many values have names, only those that differ from the library's own are told.
"""

import contextlib
import re
import sys
import warnings


class Part:
    def __init__(self, module, read, write, seeds=(), classes=None):
        self.module = module
        self.read = read
        self.write = write
        self.seeds = seeds  # of random numbers: what gives them a seed. Only then their state goes on in the cells below.
        self.classes = classes  # those of the library into which notebooks put methods and accessors of their own


PUTS_INTO_CLASSES = re.compile(r"\b(?:Colormap|DataFrame|Index|Series)\.\w+\s*=(?!=)|\bsetattr\s*\(|accessor\(")


def put_in(kinds):
    """What cells have put into these classes of a library, as notebooks do: `DataFrame.top = …`, an accessor of pandas."""
    return {(kind.__name__, name): value for kind in kinds for name, value in vars(kind).items() if _is_of_cell(value)}


def _is_of_cell(value):
    inner = getattr(value, "_accessor", None) or getattr(value, "fget", None) or getattr(value, "__func__", None) or value
    return getattr(inner, "__module__", None) == "__main__"


def put_back(kinds, values):
    by_name = {kind.__name__: kind for kind in kinds}
    for (kind, name), value in values.items():
        setattr(by_name[kind], name, value)


def _matplotlib_read(matplotlib):
    return {name: value for name, value in dict.items(matplotlib.rcParams) if not name.startswith("backend")}


def _matplotlib_write(matplotlib, values):
    with _without_warnings():
        matplotlib.rcParams.update(values)


def _pandas_read(pandas):
    found = {}

    def walk(options, prefix):
        for name, value in options.items():
            if isinstance(value, dict):
                walk(value, f"{prefix}{name}.")
            else:
                found[prefix + name] = value

    walk(sys.modules["pandas._config.config"]._global_config, "")
    return found


def _pandas_write(pandas, values):
    with _without_warnings():
        for name, value in values.items():
            pandas.set_option(name, value)


def _numpy_state(numbers):
    kind, keys, *rest = numbers.get_state()
    return kind, keys.tobytes(), *rest


def _set_numpy_state(numbers, state):
    kind, keys, *rest = state
    numbers.set_state((kind, sys.modules["numpy"].frombuffer(keys, dtype="uint32"), *rest))


def _torch_read(torch):
    return {"dtype": str(torch.get_default_dtype()), "grad": torch.is_grad_enabled()}


def _torch_write(torch, values):
    if "dtype" in values:
        torch.set_default_dtype(getattr(torch, values["dtype"].removeprefix("torch.")))
    if "grad" in values:
        torch.set_grad_enabled(values["grad"])


def _torch_state(torch):
    return torch.get_rng_state().numpy().tobytes()


def _set_torch_state(torch, state):
    import numpy

    torch.set_rng_state(torch.from_numpy(numpy.frombuffer(state, dtype="uint8").copy()))


def _decimal_read(decimal):
    context = decimal.getcontext()
    return {"prec": context.prec, "rounding": context.rounding}


def _decimal_write(decimal, values):
    for name, value in values.items():
        setattr(decimal.getcontext(), name, value)


@contextlib.contextmanager
def _without_warnings():
    """Options that are on their way out say so whenever they are set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _logging_read(logging):
    """How the messages of all loggers are shown: of handlers that write to the console."""
    shown = [
        (handler.level, getattr(handler.formatter, "_fmt", None), getattr(handler.formatter, "datefmt", None))
        for handler in logging.root.handlers
        if type(handler) is logging.StreamHandler
    ]
    return {"level": logging.root.level, "handlers": shown}


def _logging_write(logging, values):
    if "level" in values:
        logging.root.setLevel(values["level"])
    for level, form, dates in values.get("handlers", ()):
        handler = logging.StreamHandler()
        handler.setLevel(level)
        handler.setFormatter(logging.Formatter(form, dates))
        logging.root.addHandler(handler)


def _tqdm_read(_pandas):
    """How `tqdm.pandas()` was asked to give frames their `progress_apply`."""
    return getattr(sys.modules.get("tqdm.std"), "svc_for_pandas", {})


def _tqdm_write(_pandas, values):
    from tqdm.std import tqdm

    tqdm.pandas(**values)


def _altair_read(altair):
    themes = getattr(altair, "theme", None) or altair.themes
    return {name: (registry.active, registry.options) for name, registry in (("data", altair.data_transformers), ("theme", themes))}


def _altair_write(altair, values):
    themes = getattr(altair, "theme", None) or altair.themes
    for name, registry in (("data", altair.data_transformers), ("theme", themes)):
        if name in values:
            registry.enable(values[name][0], **values[name][1])


def _ibis_read(ibis):
    shown = ibis.options.repr.interactive
    return {"interactive": ibis.options.interactive, **{name: getattr(shown, name) for name in _SHOWN_BY_IBIS}}


_SHOWN_BY_IBIS = ("max_rows", "max_columns", "max_length", "max_string", "max_depth")


def _ibis_write(ibis, values):
    for name, value in values.items():
        setattr(ibis.options if name == "interactive" else ibis.options.repr.interactive, name, value)


def _jax_write(jax, values):
    for name, value in values.items():
        jax.config.update(name, value)


def _holoviews_read(holoviews):
    """Which of its extensions are loaded, the one that draws, and the defaults of what is drawn."""
    store, util = holoviews.Store, sys.modules["holoviews.util"]
    return {"extensions": list(store.renderers), "drawn by": store.current_backend, "defaults": util.svc_defaults[:]}


def _holoviews_write(holoviews, values):
    util = sys.modules["holoviews.util"]
    loaded = [name for name in values.get("extensions", ()) if name in util.extension._backends]
    if loaded:
        util.extension(*loaded)
    if "drawn by" in values and values["drawn by"] in holoviews.Store.renderers:
        holoviews.Store.set_current_backend(values["drawn by"])
    for options, more in values.get("defaults", ()):
        util.opts.defaults(*options, **more)


PARTS = {
    "random": Part("random", lambda random: random.getstate(), lambda random, state: random.setstate(state), ("seed", "setstate")),
    "numpy.random": Part("numpy.random", _numpy_state, _set_numpy_state, ("seed", "set_state")),
    "torch.random": Part("torch", _torch_state, _set_torch_state, ("manual_seed", "set_rng_state")),
    "numpy": Part("numpy", lambda numpy: numpy.get_printoptions(), lambda numpy, values: numpy.set_printoptions(**values)),
    "numpy.errors": Part("numpy", lambda numpy: numpy.geterr(), lambda numpy, values: numpy.seterr(**values)),
    "pandas": Part("pandas", _pandas_read, _pandas_write, classes=lambda pandas: [pandas.DataFrame, pandas.Series, pandas.Index]),
    "matplotlib": Part("matplotlib", _matplotlib_read, _matplotlib_write, classes=lambda matplotlib: [matplotlib.colors.Colormap]),
    "scikit-learn": Part("sklearn", lambda sklearn: sklearn.get_config(), lambda sklearn, values: sklearn.set_config(**values)),
    "torch": Part("torch", _torch_read, _torch_write),
    "logging": Part("logging", _logging_read, _logging_write),
    "sympy": Part(
        "sympy.interactive.printing",
        lambda printing: {"formulas": printing.svc_shows_formulas},
        lambda printing, values: setattr(printing, "svc_shows_formulas", values.get("formulas", False)),
    ),
    "decimal": Part("decimal", _decimal_read, _decimal_write),
    "plotly": Part(
        "plotly.io",
        lambda io: {"template": io.templates.default},
        lambda io, values: setattr(io.templates, "default", values.get("template", io.templates.default)),
    ),
    "xarray": Part("xarray", lambda xarray: dict(xarray.get_options()), lambda xarray, values: xarray.set_options(**values)),
    "polars": Part(
        "polars",
        lambda polars: {"options": polars.Config.save(if_set=True)},
        lambda polars, values: polars.Config.load(values["options"]),
    ),
    "tqdm": Part("pandas", _tqdm_read, _tqdm_write),
    "altair": Part("altair", _altair_read, _altair_write),
    "ibis": Part("ibis", _ibis_read, _ibis_write),
    "jax": Part("jax", lambda jax: dict(jax.config.values), _jax_write),
    "control": Part("control", lambda control: dict(control.config.defaults), lambda control, values: control.config.defaults.update(values)),
    "holoviews": Part("holoviews", _holoviews_read, _holoviews_write),
}
