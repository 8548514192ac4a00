# %%
import asyncio


async def fetch(name, delay):
    await asyncio.sleep(delay)
    return name.upper()
# %%
await fetch("a", 0.01)
# %%
results = await asyncio.gather(*(fetch(name, 0.01) for name in "xyz"))
results
# %%
async def ticker(count):
    for n in range(count):
        yield n


[n async for n in ticker(3)]
# %%
semaphore = asyncio.Semaphore(2)
# %%
async def limited(n):
    async with semaphore:
        return n * 2


await asyncio.gather(limited(1), limited(2))
# %%
asyncio.iscoroutinefunction(fetch)
