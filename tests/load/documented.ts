// The statuses that the service's own description names, by method and path.
import type { Rest } from '../kit/rest.ts';

export interface Documented {
  /** What is wrong with such an answer; undefined when nothing is. */
  objection(method: string, path: string, status: number): string | undefined;
}

interface Route {
  readonly method: string;
  readonly template: string;
  readonly pattern: RegExp;
  readonly statuses: ReadonlySet<string>;
}

export async function readDocumented(
  rest: Rest,
  headers: Readonly<Record<string, string>>,
  base: string,
): Promise<Documented> {
  const { json, status, text } = await rest.get('/openapi.json', { headers });
  if (status !== 200) throw new Error(`The description answered ${status}: ${text}`);
  const paths: Record<string, Record<string, { responses: object }>> = Object(json).paths;
  const routes: Route[] = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      template,
      pattern: patternOf(template),
      statuses: new Set(Object.keys(responses)),
    })),
  );
  // A path that stands there word by word is meant before one with names in it.
  routes.sort((one, other) => one.template.split('{').length - other.template.split('{').length);
  return {
    objection(method, path, code) {
      const place = new URL(path, base).pathname;
      const route = routes.find((one) => one.method === method && one.pattern.test(place));
      if (!route) return `${method} ${place} is not described`;
      if (code >= 500 && code !== 503 && code !== 504) return `${method} ${route.template} answered ${code}`;
      if (route.statuses.has(String(code))) return undefined;
      return `${method} ${route.template} answered ${code}, which it does not name`;
    },
  };
}

/** The last name of a path may hold slashes: names, and files of a notebook. */
const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/\{[^}]+\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+')
      .replace(/\[\^\/\]\+$/, '.+')}$`,
  );
