// Over a page that was at work when its sign-in ended: says so, and goes on with it where somebody signs in again. What was typed
// stays where it is.
import { useState } from 'react';
import { messageOf } from '../api/index.ts';
import { readSignIn } from '../api/signIn.ts';
import { type Asker, isSameAsker } from '../scopes.ts';
import { Button, Dialog, Message } from '../ui/index.ts';
import { WaysIn } from './SignIn.tsx';
import './signIn.css';

/** `who` was at work. `onBack`: they are here again. */
export function SignInAgain({ who, onBack }: { who: Asker; onBack: () => void }) {
  const [isAsked, setAsked] = useState(true);
  const [problem, setProblem] = useState<string | null>(null);

  async function comeBack(): Promise<void> {
    setProblem(null);
    try {
      const now = await readSignIn();
      if (now.principal === null) return setProblem('Nobody is signed in yet.');
      // Somebody else, or with other rights, has a page of their own.
      if (isSameAsker(now, who)) onBack();
      else window.location.reload();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  if (!isAsked)
    return (
      <div className="signed-out-bar" role="alert">
        <span>Your sign-in has ended: nothing is saved or run.</span>
        <Button look="primary" onClick={() => setAsked(true)}>
          Sign in again
        </Button>
      </div>
    );
  return (
    <Dialog title="Your sign-in has ended" onClose={() => setAsked(false)}>
      <div className="sign-in-again" role="alert">
        <p>
          The key was revoked, or the time of your sign-in is over. What you typed is still here: sign in again and go
          on.
        </p>
        <WaysIn isAgain onDone={() => void comeBack()} />
        {problem !== null && <Message tone="error">{problem}</Message>}
      </div>
    </Dialog>
  );
}
