"""Whether a figure is drawn in ink on white paper: a dark page may show it light on dark then. Where the code chose its paper or its
colours, or colours stand for values, it is shown as it was drawn.
"""

import colorsys
import sys

_WHITE = (1.0, 1.0, 1.0)
# More than so many are no choice of inks.
_MOST_COLOURS = 100
# Seaborn mutes the usual colours and keeps their hue.
_SAME_HUE = 2 / 360


def is_ink_on_paper(figure):
    try:
        axes = figure.get_axes()
        papers = [figure.get_facecolor(), *(part.get_facecolor() for part in axes)]
        if any(tuple(paper[:3]) != _WHITE for paper in papers) or any(_shows_values(part) for part in (figure, *axes)):
            return False
        colours = {colour for part in axes for colour in _colours(part)}
        return len(colours) <= _MOST_COLOURS and all(_is_usual(colour) for colour in colours)
    except Exception:
        return False  # a figure of another kind


def _shows_values(part):
    """A picture, or marks whose colours are read off a scale."""
    return bool(part.images) or any(mark.get_array() is not None for mark in getattr(part, "collections", ()))


def _colours(axes):
    """In which its marks are drawn."""
    for line in axes.lines:
        yield _rgb(line.get_color())
    for patch in axes.patches:
        yield _rgb(patch.get_facecolor())
    for marks in axes.collections:
        for colour in [*marks.get_facecolor()[: _MOST_COLOURS + 1], *marks.get_edgecolor()[: _MOST_COLOURS + 1]]:
            yield _rgb(colour)


def _rgb(colour):
    return sys.modules["matplotlib.colors"].to_rgb(colour)


def _is_usual(colour):
    """Black, white and greys, and what matplotlib takes when nobody says a colour."""
    hue, _, saturation = colorsys.rgb_to_hls(*colour)
    if saturation < 0.05:
        return True
    usual = sys.modules["matplotlib"].rcParamsDefault["axes.prop_cycle"].by_key()["color"]
    distances = (abs(hue - colorsys.rgb_to_hls(*_rgb(other))[0]) for other in usual)
    return any(min(distance, 1 - distance) < _SAME_HUE for distance in distances)
