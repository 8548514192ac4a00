// Who is not known to a service signs in here and goes on where they wanted to.
import { useEffect, useState } from 'react';
import type { SignInBody } from '../../../src/protocol/index.ts';
import { messageOf } from '../api/index.ts';
import { readSignIn, signIn } from '../api/signIn.ts';
import { Button, Field, Message } from '../ui/index.ts';
import './signIn.css';

export function SignIn() {
  useEffect(() => {
    document.title = 'Sign in';
  }, []);
  return (
    <main className="sign-in">
      <h1>Sign in</h1>
      <WaysIn onDone={() => window.location.reload()} />
    </main>
  );
}

/** How one signs in here. `isAgain`: over a page that stays. `onDone`: somebody has. */
export function WaysIn({ isAgain = false, onDone }: { isAgain?: boolean; onDone: () => void }) {
  const [how, setHow] = useState<SignInBody | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    readSignIn().then(setHow, (error: unknown) => setProblem(messageOf(error)));
  }, []);
  return (
    <>
      {how?.method === 'api_key' && <WithKey onDone={onDone} />}
      {how?.method === 'proxy' && how.url !== null && (
        <>
          <p>This service is reached through the sign-in of your organisation.</p>
          <a className="button primary" href={how.url} {...(isAgain ? { target: '_blank', rel: 'noopener' } : {})}>
            Sign in
          </a>
        </>
      )}
      {how?.method === 'proxy' && how.url === null && (
        <p>
          The proxy in front of this service did not say who you are. Open the service at the address that your operator
          gave you.
        </p>
      )}
      {how?.method === 'proxy' && isAgain && <Button onClick={onDone}>I have signed in: go on</Button>}
      {how?.method === 'none' && <p>Signing in is no longer needed here. Reload the page.</p>}
      {problem !== null && <Message tone="error">{problem}</Message>}
    </>
  );
}

function WithKey({ onDone }: { onDone: () => void }) {
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isKept, setKept] = useState(true);

  async function enter(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(key.trim());
      // A browser keeps no sign-in for a page that stands within one of another site.
      if ((await readSignIn()).principal !== null) return onDone();
      setBusy(false);
      setKept(false);
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <Field label="API key" hint="Your operator makes one with svc apikey create.">
        {(id, hintId) => (
          <input
            id={id}
            aria-describedby={hintId}
            className="input mono"
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {!isKept && (
        <Message
          tone="error"
          action={
            <a href={window.location.href} target="_blank" rel="noopener">
              Open it in a tab of its own
            </a>
          }
        >
          The key is right, but your browser does not keep it for a page that stands within another site.
        </Message>
      )}
      <Button type="submit" look="primary" disabled={isBusy || key.trim() === ''}>
        {isBusy ? 'Signing in …' : 'Sign in'}
      </Button>
    </form>
  );
}
