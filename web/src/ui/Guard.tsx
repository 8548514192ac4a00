// Keeps a failure of one part of the page in that part: a file of the app that could not be fetched, a value that a component
// cannot draw. Without it React takes the whole page away.
import { Component, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Message } from './small.tsx';

interface GuardProps {
  /** Names the part in the message, as in "The page". */
  readonly what: string;
  /** A file of the app could not be fetched. */
  readonly onMissing?: () => void;
  readonly children: ReactNode;
}

export class Guard extends Component<GuardProps, { readonly reason: string | null }> {
  override state = { reason: null };

  static getDerivedStateFromError(error: unknown): { readonly reason: string } {
    return { reason: reasonOf(error instanceof Error ? error.message : String(error)) };
  }

  override componentDidCatch(error: unknown): void {
    if (isMissingFile.test(String(error))) this.props.onMissing?.();
  }

  override render(): ReactNode {
    const { reason } = this.state;
    if (reason === null) return this.props.children;
    return (
      <Message tone="error" action={<Button onClick={() => window.location.reload()}>Load the page again</Button>}>
        {this.props.what} could not be shown: {reason}. What you have typed is kept.
      </Message>
    );
  }
}

/** Browsers say it in words of their own, with an address that helps nobody. */
const isMissingFile = /dynamically imported module|module script failed|preload CSS/i;

const reasonOf = (message: string): string =>
  isMissingFile.test(message)
    ? 'a file of the page could not be fetched. The server may be away, or newer than this page'
    : message;
