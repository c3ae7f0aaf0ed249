/** Link to the notices, with the number of unread ones. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useUnreadNotices } from '../api/notices.js';
import { useWords } from '../words/words.js';

export function Bell({ path }: { readonly path: string }): ReactNode {
  const words = useWords();
  const unread = useUnreadNotices(path);
  return (
    <Link href="/notices" className="bell" aria-label={words.notices_unread(unread)}>
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
        <path
          d="M6 10a6 6 0 0 1 12 0v4l2 3H4l2-3z M10 20a2 2 0 0 0 4 0"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinejoin="round"
        />
      </svg>
      {unread > 0 && <span className="count">{unread}</span>}
    </Link>
  );
}
