/** Short messages at the bottom of the window, and the items of the outbox. They stand above the pages. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { ask } from '../api/ask.js';
import { onLeftFailure } from '../api/client.js';
import { deliver, discard, holdOn, type Item, pause, tellFailure, undo, useOutbox } from '../api/outbox.js';
import { useWords } from '../words/words.js';
import { keysAreOn } from './keys-choice.js';
import { sentenceOf } from './problem-notice.js';

export interface Toast {
  readonly text: ReactNode;
}
type Show = (toast: Toast) => void;
const ToastContext = createContext<Show>(() => undefined);

/** @returns shows a toast in place of the one that is there */
export function useToast(): Show {
  return useContext(ToastContext);
}

/** Milliseconds. */
const toastMs = 5_000;

export function Toasts({ children }: { readonly children: ReactNode }): ReactNode {
  const words = useWords();
  const [shownToast, setShownToast] = useState<Toast>();
  const [isPaused, setPaused] = useState(false);
  const items = useOutbox();
  const failedItems = items.filter(({ state }) => state === 'failed');
  useEffect(() => {
    if (shownToast === undefined || isPaused) return;
    const timer = setTimeout(() => setShownToast(undefined), toastMs);
    return () => clearTimeout(timer);
  }, [shownToast, isPaused]);
  useEffect(() => {
    onLeftFailure(({ title, answering, again: repeat }) => {
      const failure = words.outbox_left(title);
      const delivery = {
        intent: title,
        failure,
        subjects: [],
        send: async () => {
          await ask(repeat());
          return [];
        },
      };
      void ask(answering).catch((problem: unknown) => tellFailure({ delivery, problem }));
    });
  }, [words]);
  const show = useCallback<Show>((toast) => {
    setPaused(false);
    setShownToast(toast);
  }, []);
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts">
        <div role="status">
          {items.map((item) => item.state === 'held' && <Held key={item.id} item={item} />)}
          {items.map((item) => ['unsent', 'signed_out'].includes(item.state) && <Unsent key={item.id} item={item} />)}
          {shownToast !== undefined && (
            <ToastBox onPoint={setPaused}>
              <span>{shownToast.text}</span>
            </ToastBox>
          )}
        </div>
        {failedItems.length > 0 && (
          <div role="alert">
            {failedItems.map((item) => (
              <Failed key={item.id} item={item} />
            ))}
          </div>
        )}
      </div>
    </ToastContext>
  );
}

function ToastBox({
  onPoint,
  children,
}: {
  readonly onPoint: (points: boolean) => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only stops its clock
    <div
      className="toast-box"
      // A toast that appears below a resting pointer must not pause.
      onPointerMove={() => onPoint(true)}
      onPointerLeave={() => onPoint(false)}
      // Only for people who go on with the keys: a tap gives its button the focus, too.
      onFocus={({ target }) => target.matches(':focus-visible') && onPoint(true)}
      onBlur={() => onPoint(false)}
    >
      {children}
    </div>
  );
}

function Held({ item: { delivery } }: { readonly item: Item }): ReactNode {
  const words = useWords();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key === 'z' && keysAreOn() && !isTyping && !event.ctrlKey && !event.metaKey) undo();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <ToastBox onPoint={(points) => (points ? pause() : holdOn())}>
      <span>{delivery.intent}</span>
      <button type="button" aria-keyshortcuts="z" onClick={undo}>
        {words.undo}
      </button>
    </ToastBox>
  );
}

function Unsent({ item }: { readonly item: Item }): ReactNode {
  const words = useWords();
  const isOffline = item.state === 'unsent';
  return (
    <div className="toast-box">
      <span>
        <b>{words.outbox_unsent}</b> {item.delivery.intent}
        <small>{isOffline ? words.outbox_offline : words.outbox_signed_out}</small>
      </span>
      {isOffline && (
        <button type="button" onClick={() => void deliver(item)}>
          {words.again}
        </button>
      )}
      <button type="button" onClick={() => discard(item)}>
        {words.outbox_discard}
      </button>
    </div>
  );
}

function Failed({ item }: { readonly item: Item }): ReactNode {
  const words = useWords();
  return (
    <div className="toast-box">
      <span>
        {item.delivery.failure}
        <small>{sentenceOf(item.problem, words)}</small>
      </span>
      <button type="button" onClick={() => void deliver(item)}>
        {words.again}
      </button>
      <button type="button" onClick={() => discard(item)}>
        {words.close}
      </button>
    </div>
  );
}
