import polars as pl

rows = 500_000
frame = pl.select(a=pl.int_range(rows), b=pl.int_range(rows) % 97, c=(pl.int_range(rows) * 7919 % 10_007) * 1.5)
# %%
grouped = frame.group_by("b").agg(pl.col("c").mean().alias("mean"), pl.col("c").quantile(0.9).alias("high")).sort("b")
# %%
joined = frame.join(grouped, on="b").with_columns((pl.col("c") - pl.col("mean")).alias("off"))
# %%
top = joined.sort("off", descending=True).head(1000)
top
# %%
lazy = joined.lazy().filter(pl.col("a") > 1000).group_by("b").agg(pl.len(), pl.col("off").std()).sort("b").collect()
# %%
wide = frame.with_columns([(pl.col("c") * factor).alias(f"c{factor}") for factor in range(4)])
# %%
described = wide.describe()
described
# %%
rolled = frame.select(pl.col("c").rolling_mean(50).alias("mean"), pl.col("c").rolling_max(50).alias("most"))
# %%
texts = frame.head(100_000).select(pl.col("a").cast(pl.String).str.zfill(8).alias("text"), "b")
longest = texts.filter(pl.col("text").str.contains("77")).height
# %%
summary = {"top": top.height, "longest": longest, "groups": lazy.height, "mean": rolled["mean"].mean()}
summary
