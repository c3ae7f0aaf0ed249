/** A page whose script could not be loaded, mostly because there is no connection: says so, and offers another try. */
import { Component, type ReactNode } from 'react';
import { Problem } from '../api/ask.js';
import { ProblemNotice } from './problem-notice.js';

export class PageBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <ProblemNotice
        problem={new Problem(navigator.onLine ? 'unreadable' : 'offline', undefined, [], undefined)}
        onRetry={() => location.reload()}
      />
    );
  }
}
