// The frame of the pages around notebooks: one bar with the way to each of them.
import { type ReactNode, useEffect, useState } from 'react';
import type { SignInBody } from '../../../src/protocol/index.ts';
import { readSignIn, signOut } from '../api/signIn.ts';
import { useRoute } from '../route.ts';
import { useIsShared, useLacks } from '../scopes.ts';
import { Button, chosenTheme, IconButton, nextTheme } from '../ui/index.ts';
import './shell.css';

const links = [
  { page: 'home', href: '#/', label: 'Notebooks' },
  { page: 'artifacts', href: '#/artifacts', label: 'Artifacts' },
  { page: 'registry', href: '#/registry', label: 'Registry' },
  { page: 'logs', href: '#/logs', label: 'Logs' },
  { page: 'health', href: '#/health', label: 'Health' },
] as const;

export function Shell({ children }: { children: ReactNode }) {
  const { page } = useRoute();
  // The log is its administrator's, and a list of all that is stored is for a server of one person.
  const lacksLogs = useLacks('admin:*');
  const isShared = useIsShared();
  return (
    <div className="shell">
      <header className="shell-top">
        <nav aria-label="Pages">
          {links
            .filter(({ page: to }) => !(to === 'logs' && lacksLogs) && !(to === 'artifacts' && isShared))
            .map((link) => (
              <a key={link.page} href={link.href} aria-current={page === link.page ? 'page' : undefined}>
                {link.label}
              </a>
            ))}
        </nav>
        <div className="shell-more">
          <WhoIsHere />
          <a href="./docs">API</a>
          <ThemeButton />
        </div>
      </header>
      <main className="shell-main">{children}</main>
    </div>
  );
}

/** On a service: who is signed in, and the way out. */
function WhoIsHere() {
  const [here, setHere] = useState<SignInBody | null>(null);
  useEffect(() => {
    // A server without sign-in knows nobody.
    readSignIn().then(setHere, () => setHere(null));
  }, []);
  if (here?.principal == null) return null;
  return (
    <>
      <span className="shell-who" title={here.principal}>
        {here.principal}
      </span>
      {here.method === 'api_key' && (
        <Button look="quiet" onClick={() => void signOut().then(() => window.location.reload())}>
          Sign out
        </Button>
      )}
    </>
  );
}

export function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <IconButton
      icon={theme === 'dark' ? 'moon' : 'sun'}
      label={`Theme: ${theme}`}
      onClick={() => setTheme(nextTheme())}
    />
  );
}
