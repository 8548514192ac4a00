// `svc relay`: lets servers reach workers that nobody can dial.
import { graceSeconds, startRelay } from '../relay/index.ts';

export async function relay(options: { host: string; port: string }): Promise<void> {
  const token = process.env.SVC_WORKER_CONNECT_TOKEN?.trim() || null;
  const running = await startRelay({ host: options.host, port: Number(options.port), token, graceSeconds });
  process.stdout.write(`svc relay serves on ${running.address}\n`);
  if (token === null)
    process.stderr.write(
      'warning: no token is set (SVC_WORKER_CONNECT_TOKEN): whoever reaches the relay can be a worker.\n',
    );
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => void running.close().then(() => process.exit(0)));
}
