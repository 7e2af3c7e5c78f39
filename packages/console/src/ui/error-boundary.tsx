import { Component, type ReactNode } from 'react';
import { t } from '../texts/ui.ts';
import { ErrorBox } from './states.tsx';

interface Props {
  /** With another one what is shown is tried again: another page has stumbled over nothing yet. */
  readonly place?: string;
  readonly children: ReactNode;
}

/** Shows what a page has stumbled over, and lets the rest of the console live on. */
export class ErrorBoundary extends Component<Props, { error: Error | undefined }> {
  override state = { error: undefined as Error | undefined };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override componentDidUpdate({ place }: Props): void {
    if (this.state.error && place !== this.props.place) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    // Most often a page whose file went with an older build of the console.
    return <ErrorBox error={error} title={t.thisPageCouldNotBe} onRetry={() => window.location.reload()} />;
  }
}
