# %%
from dataclasses import asdict, dataclass, field
from enum import Enum, auto


class Colour(Enum):
    RED = auto()
    GREEN = auto()


@dataclass(order=True)
class Card:
    value: int
    colour: Colour = field(compare=False)
# %%
cards = [Card(3, Colour.RED), Card(1, Colour.GREEN)]
cards
# %%
sorted(cards)[0]
# %%
cards[0].colour is Colour.RED
# %%
{card.colour: card.value for card in cards}
# %%
asdict(cards[1])
# %%
Colour.RED
# %%
cards.append(Card(9, Colour["GREEN"]))
max(cards).value, len(cards)
# %%
list(Colour)
