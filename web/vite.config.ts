import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Relative addresses, resolved by the page's <base>: the app works under any path a proxy serves it at.
export default defineConfig({
  base: './',
  plugins: [react()],
  build: { target: 'es2023', modulePreload: { polyfill: false } },
});
