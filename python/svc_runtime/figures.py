"""The matplotlib backend of a cell: draws without a screen, and shows by handing figures to `display`."""

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from svc_runtime.displays import show_figure


class FigureManager(FigureManagerBase):
    def show(self):
        show_figure(self.canvas.figure)

    @classmethod
    def pyplot_show(cls, *, block=None):
        show()


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager


def show(*_, **__):
    """Shows what is open, and is done with it: what is drawn next is another figure, as in Jupyter."""
    for manager in Gcf.get_all_fig_managers():
        show_figure(manager.canvas.figure)
        del Gcf.figs[manager.num]  # and not destroyed: its own `show()` goes on working
