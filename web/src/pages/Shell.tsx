// The frame of the pages around notebooks: one bar with the way to each of them.
import { type ReactNode, useState } from 'react';
import { useRoute } from '../route.ts';
import { chosenTheme, IconButton, nextTheme } from '../ui/index.ts';
import './shell.css';

const links = [
  { page: 'home', href: '#/', label: 'Notebooks' },
  { page: 'artifacts', href: '#/artifacts', label: 'Artifacts' },
  { page: 'logs', href: '#/logs', label: 'Logs' },
] as const;

export function Shell({ children }: { children: ReactNode }) {
  const { page } = useRoute();
  return (
    <div className="shell">
      <header className="shell-top">
        <nav aria-label="Pages">
          {links.map((link) => (
            <a key={link.page} href={link.href} aria-current={page === link.page ? 'page' : undefined}>
              {link.label}
            </a>
          ))}
        </nav>
        <div className="shell-more">
          <a href="./docs">API</a>
          <ThemeButton />
        </div>
      </header>
      <main className="shell-main">{children}</main>
    </div>
  );
}

export function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <IconButton
      icon={theme === 'dark' ? 'moon' : 'sun'}
      label={`Look: ${theme}. Change`}
      onClick={() => setTheme(nextTheme())}
    />
  );
}
