import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Relative addresses, resolved by the page's <base>: the app works under any path a proxy serves it at.
export default defineConfig({
  base: './',
  plugins: [react()],
  // Nothing is inlined as data: the page's policy loads from this origin alone.
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
});
