// Cells in processes of their own, and nothing else: a Python that has imported what they import is forked for each, which reads
// pickles of what it uses from files in memory, runs the code and writes pickles of what it made. No server, no hash, no disk.
import { importedModules } from '../../src/runtimes/python/imports.ts';
import type { Context } from '../line.ts';
import { runPython } from './python.ts';

/** Milliseconds of all cells, once they have run before. */
export async function chainInForks(context: Context, python: string, sources: readonly string[]): Promise<number> {
  const program = `
import ast, contextlib, importlib, json, os, tempfile, time
import cloudpickle

os.environ["OMP_WAIT_POLICY"] = "passive"
trees = [ast.parse(source) for source in json.loads(${JSON.stringify(JSON.stringify(sources))})]
nodes = [[node for node in ast.walk(tree)] for tree in trees]
imports = [node for each in nodes for node in each if isinstance(node, (ast.Import, ast.ImportFrom))]
for name in json.loads(${JSON.stringify(JSON.stringify(sources.flatMap(importedModules)))}):
    with contextlib.suppress(ImportError):  # a name in a module, and no module
        importlib.import_module(name)
imported = compile(ast.Module(imports, []), "imports", "exec")
folder = tempfile.mkdtemp(dir="/dev/shm")

def used(of, context):
    return {node.id for node in of if isinstance(node, ast.Name) and isinstance(node.ctx, context)}

def work(tree, of):
    names = {}
    exec(imported, names)
    for name in used(of, ast.Load) - set(names):
        if os.path.exists(f"{folder}/{name}"):
            with open(f"{folder}/{name}", "rb") as file:
                names[name] = cloudpickle.load(file)
    exec(compile(tree, "cell", "exec"), names)
    made = used(of, ast.Store) | {node.name for node in of if isinstance(node, ast.FunctionDef)}
    for name in made & set(names):
        try:
            pickle = cloudpickle.dumps(names[name], protocol=5)
        except Exception:
            continue  # nobody reads it
        with open(f"{folder}/{name}", "wb") as file:
            file.write(pickle)

def run(tree, of):
    pid = os.fork()
    if pid == 0:
        work(tree, of)
        os._exit(0)
    if os.waitpid(pid, 0)[1] != 0:
        raise SystemExit("a cell failed")

for _ in range(3):
    began = time.perf_counter()
    for tree, of in zip(trees, nodes):
        run(tree, of)
    took = (time.perf_counter() - began) * 1000
for name in os.listdir(folder):
    os.unlink(f"{folder}/{name}")
os.rmdir(folder)
print(took)`;
  return Number((await runPython(context, python, program)).split('\n').at(-1));
}
