// The start of the app: fonts, tokens, the look, and the page that the address asks for.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './ui/tokens.css';
import './ui/base.css';
import { App } from './App.tsx';
import { readAhead } from './api/index.ts';
import { readRoute } from './route.ts';
import { followTheme } from './ui/index.ts';

followTheme();

const first = readRoute(window.location.hash);
if (first.page === 'notebook' || first.page === 'app') readAhead(first.sessionId);

const place = document.getElementById('app');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
