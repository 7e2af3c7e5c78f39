import { Component, type ReactNode } from 'react';
import { ErrorBox } from './states.tsx';

interface Props {
  readonly children: ReactNode;
}

/** Shows what a page has stumbled over, and lets the rest of the console live on. */
export class ErrorBoundary extends Component<Props, { error: Error | undefined }> {
  override state = { error: undefined as Error | undefined };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    // Most often a page whose file went with an older build of the console.
    return <ErrorBox error={error} title="This page could not be shown" onRetry={() => window.location.reload()} />;
  }
}
