"""Small adjustments to packages at the moment a cell imports them, so that nothing is loaded that nobody asked for."""

import importlib.util
import os
import sys

from svc_runtime import asking, comms, ipython_display, ipython_stand_in
from svc_runtime.chance import named_like
from svc_runtime.displays import display
from svc_runtime.settings import MODULES, settings
from svc_runtime.values import cell_code


def _matplotlib(module):
    # By a setting of the package and not by MPLBACKEND: programs that a cell starts inherit the environment, and could
    # not find our backend.
    if not os.environ.get("MPLBACKEND"):
        module.rcParams["backend"] = "module://svc_runtime.figures"


def _plotly(_module):
    import plotly.basedatatypes

    # Its own `show` would look for a browser on the server.
    plotly.basedatatypes.BaseFigure.show = lambda figure, *_, **__: display(figure)


def _ipython(module):
    # Without a kernel it would print what it is given.
    for name in ("display", "publish_display_data", "update_display", "clear_output", "DisplayHandle"):
        setattr(module, name, getattr(ipython_display, name))


def _get_ipython(module):
    # Its own would find no kernel.
    module.get_ipython = ipython_stand_in.get_ipython


def _pretty(module):
    # Words for a printer that only a kernel has.
    module.Pretty._repr_mimebundle_ = lambda value, include=None, exclude=None: {"text/plain": value.data}


def _code(module):
    # It also describes itself as LaTeX, which is for formulas here.
    module.Code._repr_mimebundle_ = lambda value, include=None, exclude=None: {"text/html": value._repr_html_()}


def _bokeh_show(module):
    # Its own would write a file and look for a browser on the server.
    module._show_with_state = lambda value, *_, **__: display(value)


def _bokeh_output(module):
    module.output_notebook = lambda *_, **__: None  # a figure brings its scripts along


def _bokeh_ids(module):
    # Every process would count from the same number, and parts of figures of two cells that meet in a third would be one.
    own = module.make_id
    module.make_id = lambda: comms.desk.new_id() if module.settings.simple_ids() else own()


def _bokeh_values(module):
    # Its lists and tables of a figure's properties are filled, when they are read again, before they know whose they are.
    def reduced(value):
        plain = next(kind for kind in (list, dict, set) if isinstance(value, kind))
        return type(value), (plain(value),), {"_owners": value._owners}

    module.PropertyValueContainer.__reduce__ = reduced


def _rich(module):
    # It would give colours to terminals only; the page shows them. A file that somebody names gets plain text.
    detect = module.Console._detect_color_system

    def detected(console):
        found = detect(console)
        return module.ColorSystem.TRUECOLOR if found is None and console._file is None else found

    module.Console._detect_color_system = detected


def _tqdm(module):
    # Bars of widgets need a kernel; those of text are drawn on the console.
    from tqdm.std import tqdm, trange

    module.tqdm = module.tqdm_notebook = tqdm
    module.trange = module.tnrange = trange


def _tqdm_std(module):
    # `tqdm.pandas()` gives frames their `progress_apply`; said again in the cells below.
    own = module.tqdm.pandas.__func__

    def pandas(kind, **options):
        module.svc_for_pandas = {"desc": None, **options}
        return own(kind, **options)

    module.tqdm.pandas = classmethod(named_like(pandas, own))


def _holoviews(module):
    # The defaults of what is drawn lie deep in its trees of options; said again in the cells below.
    module.svc_defaults = []
    own = module.opts.defaults.__func__

    def defaults(kind, *options, **more):
        own(kind, *options, **more)
        module.svc_defaults.append((options, more))

    module.opts.defaults = classmethod(named_like(defaults, own))


def _sympy(module):
    # Its own would set up a terminal. Lists, tables and numbers are shown as formulas from now on.
    module.svc_shows_formulas = False

    def init_printing(pretty_print=True, *_, use_latex=None, **__):
        module.svc_shows_formulas = bool(pretty_print) and use_latex is not False

    module.init_printing = init_printing


def _getpass(module):
    # Its own would look for a terminal.
    module.getpass = asking.ask_secret


def _cloudpickle(module):
    # Processes that joblib and others start have nothing of this notebook: code of other cells travels whole.
    refer = module._should_pickle_by_reference

    def should_refer(value, *arguments, **options):
        return not cell_code.is_of_cell(value) and refer(value, *arguments, **options)

    module._should_pickle_by_reference = should_refer


def _doctest(module):
    # Examples of functions that other cells define count as this cell's.
    own, testmod = module.DocTestFinder._from_module, module.testmod
    module.DocTestFinder._from_module = lambda finder, of, value: own(finder, of, value) or (
        of is sys.modules["__main__"] and cell_code.is_of_cell(value)
    )

    def test(m=None, *arguments, **options):
        result = testmod(m, *arguments, **options)
        if m is None and result.attempted == 0:
            print(_NAME_THEM.format("doctest.testmod() tries the examples", "functions"), file=sys.stderr)
        return result

    module.testmod = named_like(test, testmod)


def _unittest(module):
    load = module.TestLoader.loadTestsFromModule

    def load_tests(loader, of, *arguments, **options):
        tests = load(loader, of, *arguments, **options)
        if of is sys.modules["__main__"] and tests.countTestCases() == 0:
            print(_NAME_THEM.format("unittest runs the tests", "classes"), file=sys.stderr)
        return tests

    module.TestLoader.loadTestsFromModule = named_like(load_tests, load)


_NAME_THEM = "{} of this cell, and of {} that it names: name those of other cells here."


def _output_widget(module):
    from svc_runtime import widget_output

    widget_output.adjust(module)


_ADJUSTMENTS = {
    "cloudpickle.cloudpickle": _cloudpickle,
    "joblib.externals.cloudpickle.cloudpickle": _cloudpickle,
    "getpass": _getpass,
    "doctest": _doctest,
    "unittest.loader": _unittest,
    "matplotlib": _matplotlib,
    "plotly.io": _plotly,
    "IPython.core.display_functions": _ipython,
    "IPython.core.getipython": _get_ipython,
    "IPython.core.display": _pretty,
    "IPython.lib.display": _code,
    "bokeh.core.property.wrappers": _bokeh_values,
    "bokeh.util.serialization": _bokeh_ids,
    "bokeh.io.showing": _bokeh_show,
    "bokeh.io.output": _bokeh_output,
    "rich.console": _rich,
    "sympy.interactive.printing": _sympy,
    "tqdm.notebook": _tqdm,
    "tqdm.std": _tqdm_std,
    "holoviews.util": _holoviews,
    "comm": comms.adjust,
    "ipywidgets.widgets.widget_output": _output_widget,
}


class _Finder:
    """Finds nothing by itself; wraps the loader of the modules above."""

    def find_spec(self, name, path=None, target=None):
        if name not in _ADJUSTMENTS and not (settings.is_on and name in MODULES):
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, _ADJUSTMENTS.get(name))
        return spec


class _Loader:
    def __init__(self, loader, adjust):
        self._loader = loader
        self._adjust = adjust

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        try:
            if self._adjust is not None:
                self._adjust(module)
        except Exception as problem:  # another version of the package: it works as it would anywhere
            print(f"svc_runtime: {module.__name__} is used as it is: {problem!r}", file=sys.stderr)
        settings.arrived(module.__name__)

    def __getattr__(self, name):
        return getattr(self._loader, name)


def install():
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
        sys.meta_path.append(ipython_stand_in.Finder())
