# %%
import warnings

warnings.filterwarnings("ignore")
# %%
warnings.warn("nobody hears this")
print("quiet")
# %%
def old():
    warnings.warn("old is old", DeprecationWarning)
    return 1


old()
# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("heard")
len(caught), str(caught[0].message)
# %%
import decimal

decimal.getcontext().prec = 6
# %%
decimal.Decimal(1) / 7
# %%
import locale, random

random.seed(3)
# %%
[random.randint(1, 6) for _ in range(5)]
# %%
random.random() < 1, random.choice("abc")
