import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Home } from './Home.tsx';
import './tokens.css';
import './page.css';

const place = document.getElementById('app');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <Home />
    </StrictMode>,
  );
}
