# %%
class Shape:
    def area(self):
        return 0
# %%
shape = Shape()
isinstance(shape, Shape)
# %%
class Shape:
    def area(self):
        return 1
# %%
isinstance(shape, Shape), shape.area()
# %%
shape = Shape()
isinstance(shape, Shape), shape.area()
# %%
import copy
import pickle

again = pickle.loads(pickle.dumps(shape))
type(again) is Shape
# %%
copy.copy(shape).area()
