// What an output would load from elsewhere, which it cannot: scripts and styles of other hosts.
const loads = /<(?:script|link)\b[^<>]*?\b(?:src|href)\s*=\s*["']?(?:https?:)?\/\/([\w.-]+)/gi;
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#34': '"', '#39': "'", amp: '&' };

/** Their hosts, each once. A page inside the output, as folium writes its maps, is looked through too. */
export function hostsNeeded(html: string): string[] {
  const inner = [...html.matchAll(/\bsrcdoc\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(([, one, other]) =>
    (one ?? other ?? '').replace(/&(lt|gt|quot|#34|#39|amp);/g, (_, name: string) => entities[name] ?? ''),
  );
  const found = [html, ...inner].flatMap((text) => [...text.matchAll(loads)].map(([, host = '']) => host));
  return [...new Set(found)];
}

/** What is told where the output stands. */
export const elsewhereInWords = (hosts: readonly string[]): string =>
  `This output loads what draws it from ${hosts.join(', ')}. Nothing is loaded from elsewhere here, so it may look empty.`;
