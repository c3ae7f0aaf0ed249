/**
 * Short messages at the bottom of the page. One with Undo waits five seconds before it is done, and is done at once when
 * the page is left.
 */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useWords } from '../words/words.js';

export interface Toast {
  readonly text: ReactNode;
  /** Takes it back. Without it the toast only tells. */
  readonly onUndo?: () => void;
  /** Called once when nobody took it back, or when the page is hidden. A request has to use `keepalive`. */
  readonly onDone?: () => void;
}
type Show = (toast: Toast) => void;
const ToastContext = createContext<Show>(() => undefined);

/** @returns shows a toast; one that is there already is done */
export function useToast(): Show {
  return useContext(ToastContext);
}

/** Milliseconds. */
const stay = 5_000;

export function Toasts({ children }: { readonly children: ReactNode }): ReactNode {
  const words = useWords();
  const [shown, setShown] = useState<Toast>();
  const present = useRef<Toast>(undefined);
  const [paused, setPaused] = useState(false);
  const end = useCallback((outcome: 'done' | 'undone') => {
    const toast = present.current;
    if (toast === undefined) return;
    present.current = undefined;
    setShown(undefined);
    setPaused(false);
    if (outcome === 'done') toast.onDone?.();
    else toast.onUndo?.();
  }, []);
  const show = useCallback<Show>(
    (toast) => {
      end('done');
      present.current = toast;
      setShown(toast);
    },
    [end],
  );
  useEffect(() => {
    if (shown === undefined || paused) return;
    const timer = setTimeout(() => end('done'), stay);
    return () => clearTimeout(timer);
  }, [shown, paused, end]);
  useEffect(() => {
    if (shown?.onUndo === undefined) return;
    const done = () => end('done');
    const pressed = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key === 'z' && !typing && !event.ctrlKey && !event.metaKey) end('undone');
    };
    window.addEventListener('pagehide', done);
    document.addEventListener('keydown', pressed);
    return () => {
      window.removeEventListener('pagehide', done);
      document.removeEventListener('keydown', pressed);
    };
  }, [shown, end]);
  return (
    <ToastContext value={useMemo(() => show, [show])}>
      {children}
      <div className="toasts" role="status">
        {shown !== undefined && (
          // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only stops its clock
          <div
            className="toast-box"
            onPointerEnter={() => setPaused(true)}
            onPointerLeave={() => setPaused(false)}
            onFocus={() => setPaused(true)}
            onBlur={() => setPaused(false)}
          >
            <span>{shown.text}</span>
            {shown.onUndo !== undefined && (
              <button type="button" aria-keyshortcuts="z" onClick={() => end('undone')}>
                {words.undo}
              </button>
            )}
          </div>
        )}
      </div>
    </ToastContext>
  );
}
