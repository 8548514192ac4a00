import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { type Plugin as BundlePlugin, rolldown } from 'rolldown';
import { defineConfig, type Plugin } from 'vite';
import { chartScripts } from '../src/charts.ts';

/**
 * Each script that draws charts, and the one that shows widgets, as one file that needs no other: the page loads it for the first
 * output that needs it, and an exported page holds it.
 */
function outputScripts(): Plugin {
  const name = 'virtual:outputScripts';
  return {
    name: 'output-scripts',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    async load(id) {
      if (id !== `\0${name}`) return null;
      const emit = async (input: string, called: string): Promise<string> => {
        const source = await standalone(path.join(import.meta.dirname, 'src', input));
        const digest = createHash('sha256').update(source).digest('base64url').replaceAll('_', '-').slice(0, 8);
        this.emitFile({ type: 'asset', fileName: `assets/${called}-${digest}.js`, source });
        return `${called}-${digest}.js`;
      };
      const files: Record<string, string> = {};
      for (const script of chartScripts) files[script] = await emit(`charts/${script}.ts`, `chart-${script}`);
      const widgets = await emit('widgets/frame.ts', 'widgets');
      return `export const files = ${JSON.stringify(files)};\nexport const widgets = ${JSON.stringify(widgets)};`;
    },
  };
}

/** Styles as texts, with all that they name inside. */
const inlineStyles: BundlePlugin = {
  name: 'inline-styles',
  async resolveId(id, importer) {
    if (!id.endsWith('.css?inline')) return null;
    const found = await this.resolve(id.replace(/\?inline$/, ''), importer);
    return found === null ? null : { id: `${found.id}?inline`, moduleSideEffects: false };
  },
  async load(id) {
    if (!id.endsWith('.css?inline')) return null;
    const text = await wholeStyle(id.replace(/\?inline$/, ''));
    return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
  },
};

async function wholeStyle(file: string): Promise<string> {
  const beside = (name: string): string => path.resolve(path.dirname(file), name);
  let text = (await fs.readFile(file, 'utf8')).replaceAll(/\/\*.*?\*\//gs, '');
  for (const [rule, name = ''] of text.matchAll(/@import '([^']+)';/g)) {
    const inner = await wholeStyle(beside(name));
    text = text.replace(rule, () => inner);
  }
  // Every browser that runs this page reads woff2.
  text = text.replaceAll(
    /src:url\([^)]*\.eot\);src:[^;}]*?url\(([^)]*\.woff2)\)[^;}]*/g,
    'src:url($1) format("woff2")',
  );
  for (const [rule, name = ''] of text.matchAll(/url\(([^)'"]+\.woff2)\)/g)) {
    const font = await fs.readFile(beside(name), 'base64');
    text = text.replace(rule, () => `url(data:font/woff2;base64,${font})`);
  }
  return text;
}

async function standalone(input: string): Promise<string> {
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent', plugins: [inlineStyles] });
  const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false });
  await bundle.close();
  // Inside a page this would end the script.
  return output[0].code.replaceAll('</script', '<\\/script');
}

// Relative addresses, resolved by the page's <base>: the app works under any path a proxy serves it at.
export default defineConfig({
  base: './',
  plugins: [react(), outputScripts()],
  // Nothing is inlined as data: the page's policy loads from this origin alone.
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
});
