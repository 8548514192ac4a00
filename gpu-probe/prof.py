import sys,os,time,gc
sys.path.insert(0,sys.argv[3])
from svc_runtime import import_hooks, ahead
from svc_runtime.shelf import shelf
sys.path.pop(0)
import_hooks.install(); shelf.install()
gc.disable()
t=time.perf_counter(); seen=ahead.load(sys.argv[1].split(','), lambda n:None, True); print('load',time.perf_counter()-t,[(s['name'],s['seconds']) for s in seen])
shelf.put(); gc.collect(); gc.freeze()
code=sys.argv[2].split('||')
for i in range(4):
    t0=time.perf_counter(); r,w=os.pipe(); pid=os.fork()
    if not pid:
        gc.enable()
        ts=[('begin',time.perf_counter()-t0)]
        g={}
        for c in code:
            t=time.perf_counter(); exec(c,g); ts.append((c[:30],round((time.perf_counter()-t)*1e3,2)))
        import resource
        u=resource.getrusage(resource.RUSAGE_SELF)
        print(ts,'minflt',u.ru_minflt,'utime',u.ru_utime,'sys',u.ru_stime,flush=True); os._exit(0)
    tf=time.perf_counter()-t0
    os.waitpid(pid,0); print('fork call',round(tf*1e3,1),'total',round((time.perf_counter()-t0)*1e3,1))
