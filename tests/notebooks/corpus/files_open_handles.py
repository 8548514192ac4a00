# %%
log = open("log.txt", "w+")
# %%
log.write("first line\n")
# %%
log.write("second line\n")
log.flush()
# %%
log.seek(0)
print(log.read())
# %%
log.close()
# %%
import io

buffer = io.StringIO()
# %%
buffer.write("in memory")
# %%
buffer.getvalue()
