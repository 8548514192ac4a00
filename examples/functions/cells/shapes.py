from dataclasses import dataclass


@dataclass
class Box:
    width: float
    height: float

    def area(self):
        return self.width * self.height


def scaled(box, factor):
    return Box(box.width * factor, box.height * factor)
