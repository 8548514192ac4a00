// Draws Vega and Vega-Lite charts as SVG, without a browser, in a thread of its own: a chart comes from a notebook and may take
// for ever. Expressions are interpreted, and nothing is read from files or asked of hosts.
import { parentPort } from 'node:worker_threads';
import { logger as createLogger, parse, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile } from 'vega-lite';

/** What a spec gets that wants to be as large as its place. */
const usual = { width: 640, height: 360 };

type Spec = Readonly<Record<string, unknown>>;

parentPort?.on('message', async ({ spec, isLite }: { spec: Spec; isLite: boolean }) => {
  try {
    parentPort?.postMessage({ svg: await draw(spec, isLite) });
  } catch (error) {
    parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});

async function draw(spec: Spec, isLite: boolean): Promise<string> {
  const fixed = {
    ...spec,
    ...(spec.width === 'container' ? { width: usual.width } : {}),
    ...(spec.height === 'container' ? { height: usual.height } : {}),
  };
  const whole: object = isLite ? compile(Object(fixed)).spec : fixed;
  // Vega goes on without what it could not have, and a chart without its data would be a wrong one.
  const problems: string[] = [];
  const refuse = async (uri: string): Promise<never> => {
    problems.push(`it needs ${uri}`);
    throw new Error('elsewhere');
  };
  const logger = createLogger(0);
  logger.error = (...said) => {
    problems.push(said.join(' '));
    return logger;
  };
  const loader = {
    load: refuse,
    http: refuse,
    file: refuse,
    sanitize: async (uri: string) => (/^data:image\//.test(uri) ? { href: uri } : refuse(uri)),
  };
  const runtime = parse(Object(whole), undefined, { ast: true });
  const view = new View(runtime, { renderer: 'none', logger, expr: expressionInterpreter, loader });
  const svg = await view.toSVG();
  if (problems.length > 0) throw new Error(problems.join('; '));
  return svg;
}
