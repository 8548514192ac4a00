import os,sys,time,importlib,warnings
def threads(): return len(os.listdir('/proc/self/task'))
def fds(): 
    r=[]
    for f in os.listdir('/proc/self/fd'):
        try: r.append(os.readlink('/proc/self/fd/'+f))
        except OSError: pass
    return r
def rss():
    for l in open('/proc/self/status'):
        if l.startswith('VmRSS'): return int(l.split()[1])//1024
atf=[]
orig=os.register_at_fork
def reg(**k): atf.append(list(k)); return orig(**k)
os.register_at_fork=reg
for name in sys.argv[1:]:
    t=time.time(); a=threads(); b=len(sys.modules); env=dict(os.environ); wf=list(warnings.filters); n=len(atf); f0=set(fds()); r0=rss()
    importlib.import_module(name)
    t1=time.time()-t; c=threads()
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter('always')
        t2=time.time(); pid=os.fork()
        if not pid: os._exit(0)
        t2=time.time()-t2
        os.waitpid(pid,0)
    print(name, f'{t1:.2f}s', 'threads',a,'->',c,'after fork',threads(),'modules',len(sys.modules)-b,'rss',r0,rss(),'fork ms',round(t2*1e3,1),'env',{k for k in os.environ if env.get(k)!=os.environ[k]},'filters',len(warnings.filters)-len(wf),'atfork',atf[n:],'warn',[str(x.message)[:60] for x in w], 'fds', set(fds())-f0)
