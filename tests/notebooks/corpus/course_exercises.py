# %% [markdown]
# # Exercises 1
#
# Write a function for each task.
# %%
def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


assert is_prime(7) and not is_prime(9)
# %%
primes = [n for n in range(50) if is_prime(n)]
print(primes)
# %% [markdown]
# ## Task 2
# %%
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


gcd(48, 36)
# %%
def caesar(text, shift=3):
    return "".join(chr((ord(c) - 97 + shift) % 26 + 97) if c.islower() else c for c in text)


secret = caesar("hello")
secret
# %%
caesar(secret, -3) == "hello"
# %%
import doctest


def double(n):
    """
    >>> double(2)
    4
    """
    return n * 2


doctest.testmod()
# %%
import unittest


class TestDouble(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(3), 6)


unittest.main(argv=["x"], exit=False, verbosity=0).result.wasSuccessful()
# %%
matrix = [[1, 2], [3, 4]]
[list(row) for row in zip(*matrix)]
