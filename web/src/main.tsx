import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Home } from './Home.tsx';
import './tokens.css';
import './page.css';

// The look follows the system, also while the page is open.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => {
  document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light';
};
dark.addEventListener('change', follow);
follow();

const place = document.getElementById('app');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <Home />
    </StrictMode>,
  );
}
