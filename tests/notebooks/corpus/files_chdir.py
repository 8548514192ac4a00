# %%
import os

os.makedirs("work/inner", exist_ok=True)
os.chdir("work")
# %%
with open("here.txt", "w") as file:
    file.write("here")
# %%
os.path.basename(os.getcwd()), os.listdir()
# %%
sorted(name for _, folders, _ in os.walk(".") for name in folders)
# %%
os.chdir("..")
os.path.exists("work/here.txt")
# %%
os.environ["MY_MODE"] = "test"
# %%
os.environ.get("MY_MODE", "none")
