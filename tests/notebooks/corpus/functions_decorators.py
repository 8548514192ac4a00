# %%
import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        print("calling", function.__name__, args)
        return function(*args)

    return wrapper
# %%
@logged
def add(a, b):
    return a + b
# %%
add(1, 2)
# %%
@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
# %%
fibonacci(50)
# %%
fibonacci.cache_info()
# %%
def compose(*functions):
    return lambda value: functools.reduce(lambda found, function: function(found), functions, value)


compose(abs, str, len)(-1234)
# %%
registry = {}


def register(function):
    registry[function.__name__] = function
    return function
# %%
@register
def hello():
    return "hello"
# %%
registry["hello"]()
