// The start of the app: fonts, tokens, the look, and the page that the address asks for.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './ui/tokens.css';
import './ui/base.css';
import './ui/print.css';
import { App, loadAhead } from './App.tsx';
import { readRoute } from './route.ts';
import { followTheme } from './ui/index.ts';

followTheme();

loadAhead(readRoute(window.location.hash));

const place = document.getElementById('app');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
