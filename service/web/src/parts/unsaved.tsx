/**
 * Forms with something in them that was not sent: before the page is left, by a link, the back button or the browser,
 * the person is asked. It watches every form of the application, so that none has to say anything.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useWords } from '../words/words.js';
import { leaving } from './leaving.js';

/** The values of each form as they were before somebody touched it. */
const before = new Map<HTMLFormElement, string>();
/** Forms that were sent, as far as the service has not answered. */
const sent = new Set<HTMLFormElement>();

/** What the browser fills in; and a search that was not sent is no loss, either. */
const notKept = ['username', 'one-time-code', 'current-password', 'new-password'];

function valuesOf(form: HTMLFormElement): string {
  return [...form.elements]
    .map((field) => {
      if (field instanceof HTMLInputElement) {
        if (['password', 'search'].includes(field.type) || notKept.includes(field.autocomplete)) return '';
        return field.type === 'checkbox' || field.type === 'radio' ? String(field.checked) : field.value;
      }
      return field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement ? field.value : '';
    })
    .join('\n');
}

function unsaved(within: string): boolean {
  for (const [form, values] of before) {
    if (!form.isConnected) before.delete(form);
    else if (form.matches(`${within} form`) && valuesOf(form) !== values) return true;
  }
  return false;
}

const formOf = ({ target }: Event) => (target instanceof Element ? target.closest('form') : null);

/** Before the first change: whatever the form shows then is saved, or is what a new form begins with. */
function remember(event: Event): void {
  const form = formOf(event);
  if (form !== null && !before.has(form)) before.set(form, valuesOf(form));
}

/** Any button of a form may send it. A link in it leads away on purpose: it says "Cancel". */
function noticeClick(event: Event): void {
  const form = formOf(event);
  if (form === null || !(event.target instanceof Element)) return;
  if (event.target.closest('a') !== null) before.delete(form);
  else if (event.target.closest('button') !== null) sent.add(form);
}

function noticeSubmit(event: Event): void {
  const form = formOf(event);
  if (form !== null) sent.add(form);
}

/** The service has taken what was sent. */
function forgetSent(): void {
  for (const form of sent) before.delete(form);
  sent.clear();
}

export default function Unsaved(): ReactNode {
  const words = useWords();
  const changes = useQueryClient().getMutationCache();
  const [again, setAgain] = useState<() => void>();
  useEffect(() => {
    let at = location.href;
    const ask = (onLeave: () => void) => setAgain(() => onLeave);
    leaving.may = (onLeave, within = '') => {
      if (!unsaved(within)) return true;
      ask(onLeave);
      return false;
    };
    const moved = () => {
      at = location.href;
    };
    // The entry that was left is put on top of the one the browser went to.
    leaving.popped = () => {
      if (location.href === at || !unsaved('')) return true;
      history.pushState(null, '', at);
      ask(() => history.back());
      return false;
    };
    const unloaded = (event: Event) => {
      if (unsaved('')) event.preventDefault();
    };
    const heard = [
      [document, 'focusin', remember],
      [document, 'pointerdown', remember],
      [document, 'keydown', remember],
      [document, 'click', noticeClick],
      [document, 'submit', noticeSubmit],
      [window, 'clockproof:moved', moved],
      [window, 'beforeunload', unloaded],
    ] as const;
    for (const [target, type, listener] of heard) target.addEventListener(type, listener, true);
    // Before what the form itself does then, which may be to open another page.
    const { onSuccess } = changes.config;
    changes.config.onSuccess = (...answer) => {
      if (answer[3].meta?.['preview'] !== true) forgetSent();
      return onSuccess?.(...answer);
    };
    return () => {
      for (const [target, type, listener] of heard) target.removeEventListener(type, listener, true);
      if (onSuccess === undefined) delete changes.config.onSuccess;
      else changes.config.onSuccess = onSuccess;
      leaving.may = () => true;
      leaving.popped = () => true;
    };
  }, [changes]);
  const box = useRef<HTMLDialogElement>(null);
  const open = again !== undefined;
  useEffect(() => {
    if (open) box.current?.showModal();
  }, [open]);
  if (!open) return null;
  return (
    <dialog ref={box} className="asking" aria-labelledby="unsaved-title" onClose={() => setAgain(undefined)}>
      <h2 id="unsaved-title">{words.unsaved_title}</h2>
      <p>{words.unsaved_text}</p>
      <div className="end">
        <button
          type="button"
          className="button"
          onClick={() => {
            before.clear();
            box.current?.close();
            again();
          }}
        >
          {words.unsaved_discard}
        </button>
        {/* biome-ignore lint/a11y/noAutofocus: the dialog gives the focus to what loses nothing */}
        <button type="button" className="button primary" autoFocus onClick={() => box.current?.close()}>
          {words.unsaved_stay}
        </button>
      </div>
    </dialog>
  );
}
