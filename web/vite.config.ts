import { createHash } from 'node:crypto';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { rolldown } from 'rolldown';
import { defineConfig, type Plugin } from 'vite';
import { chartScripts } from '../src/charts.ts';

/**
 * Each script that draws charts as one file that needs no other: the page loads it for the first chart that it draws, and an
 * exported page holds it.
 */
function charts(): Plugin {
  const name = 'virtual:charts';
  return {
    name: 'charts',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    async load(id) {
      if (id !== `\0${name}`) return null;
      const files: Record<string, string> = {};
      for (const script of chartScripts) {
        const source = await standalone(path.join(import.meta.dirname, `src/charts/${script}.ts`));
        const digest = createHash('sha256').update(source).digest('base64url').replaceAll('_', '-').slice(0, 8);
        files[script] = `chart-${script}-${digest}.js`;
        this.emitFile({ type: 'asset', fileName: `assets/${files[script]}`, source });
      }
      return `export const files = ${JSON.stringify(files)};`;
    },
  };
}

async function standalone(input: string): Promise<string> {
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false });
  await bundle.close();
  // Inside a page this would end the script.
  return output[0].code.replaceAll('</script', '<\\/script');
}

// Relative addresses, resolved by the page's <base>: the app works under any path a proxy serves it at.
export default defineConfig({
  base: './',
  plugins: [react(), charts()],
  // Nothing is inlined as data: the page's policy loads from this origin alone.
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
});
