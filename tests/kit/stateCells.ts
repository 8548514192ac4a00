// Cells that look at what a package may leave behind in a process beside its modules.

/** Prints the state of the process, after `imports`. */
export const looking = (imports: string): string => `${imports}
import decimal, gc, locale, logging, os, signal, sys, threading, warnings

print("environment", sorted((name, value) for name, value in os.environ.items()))
print("filters", [(one[0], getattr(one[1], "pattern", one[1]), one[2].__name__, getattr(one[3], "pattern", one[3]), one[4]) for one in warnings.filters])
print("argv", sys.argv, "path", sys.path, "name", __name__, "folder", os.getcwd())
print("threads", threading.active_count(), [thread.name for thread in threading.enumerate()])
print("root handlers", logging.getLogger().handlers, logging.getLogger().level, logging.lastResort)
print("collects", gc.isenabled(), gc.get_threshold(), [one.__name__ for one in gc.callbacks])
print("recursion", sys.getrecursionlimit(), "switch", sys.getswitchinterval())
print("signals", [(number.name, str(signal.getsignal(number))) for number in sorted(signal.valid_signals()) if isinstance(number, signal.Signals)])
print("decimal", decimal.getcontext())
print("locale", locale.setlocale(locale.LC_ALL), locale.getlocale())
print("hooks", sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.unraisablehook is sys.__unraisablehook__)
print("import hooks", len(sys.path_hooks), [type(one).__name__ for one in sys.meta_path if type(one).__module__ != "svc_runtime.shelf" and not type(one).__module__.startswith("svc_runtime")])
print("umask", oct(os.umask(0o22)), "codecs", sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.stdout.encoding)
print("dont write", sys.dont_write_bytecode, "trace", sys.gettrace(), sys.getprofile(), "digits", sys.get_int_max_str_digits())
`;

const options = `
import numpy as np, pandas as pd
print(np.get_printoptions())
print(np.geterr())
print({name: pd.get_option(name) for name in pd.options._registered_options} if hasattr(pd.options, "_registered_options") else pd.describe_option(_print_desc=False))
`;

const rcParams = `
import matplotlib
print({name: str(value) for name, value in matplotlib.rcParams.items()})
import matplotlib.pyplot as plt
print({name: str(value) for name, value in matplotlib.rcParams.items()})
print(plt.get_fignums(), plt.get_backend())
`;

const imports = [
  '',
  'import numpy',
  'import numpy as np\nnp.random',
  'import pandas',
  'import pyarrow.parquet, pyarrow.dataset',
  'import matplotlib',
  'import matplotlib.pyplot as plt',
  'import PIL.Image',
  'import plotly.express as px',
  'import plotly.graph_objects as go\ngo.Figure()',
  'import altair as alt',
  'import cloudpickle',
];

export const stateSources: readonly string[] = [...imports.map(looking), options, rcParams];
