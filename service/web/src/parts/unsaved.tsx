/**
 * Asks the person before a page with unsaved form input is left, by a link, the back button or the browser. It watches
 * every form of the application, so that no form has to register.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useWords } from '../words/words.js';
import { leaving } from './leaving.js';

/** The values of each form before the first change. */
const initialValues = new Map<HTMLFormElement, string>();
/** Sent forms that the service has not answered yet. */
const sentForms = new Set<HTMLFormElement>();

/** Fields that the browser fills in. Like searches, they are no loss. */
const ignoredAutocomplete = ['username', 'one-time-code', 'current-password', 'new-password'];

function valuesOf(form: HTMLFormElement): string {
  return [...form.elements]
    .map((field) => {
      if (field instanceof HTMLInputElement) {
        if (['password', 'search'].includes(field.type) || ignoredAutocomplete.includes(field.autocomplete)) return '';
        return field.type === 'checkbox' || field.type === 'radio' ? String(field.checked) : field.value;
      }
      return field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement ? field.value : '';
    })
    .join('\n');
}

function hasUnsavedValues(selector: string): boolean {
  for (const [form, values] of initialValues) {
    if (!form.isConnected) initialValues.delete(form);
    else if (form.matches(`${selector} form`) && valuesOf(form) !== values) return true;
  }
  return false;
}

const formOf = ({ target }: Event) => (target instanceof Element ? target.closest('form') : null);

/** Runs before the first change: the form still shows saved or initial values. */
function remember(event: Event): void {
  const form = formOf(event);
  if (form !== null && !initialValues.has(form)) initialValues.set(form, valuesOf(form));
}

/** Any button of a form may send it. A link in it is "Cancel": it leaves the page on purpose. */
function noticeClick(event: Event): void {
  const form = formOf(event);
  if (form === null || !(event.target instanceof Element)) return;
  if (event.target.closest('a') !== null) initialValues.delete(form);
  else if (event.target.closest('button') !== null) sentForms.add(form);
}

function noticeSubmit(event: Event): void {
  const form = formOf(event);
  if (form !== null) sentForms.add(form);
}

/** The service has accepted the sent forms. */
function forgetSent(): void {
  for (const form of sentForms) initialValues.delete(form);
  sentForms.clear();
}

export default function Unsaved(): ReactNode {
  const words = useWords();
  const changes = useQueryClient().getMutationCache();
  const [leave, setLeave] = useState<() => void>();
  useEffect(() => {
    let at = location.href;
    const ask = (onLeave: () => void) => setLeave(() => onLeave);
    leaving.mayLeave = (onLeave, selector = '') => {
      if (!hasUnsavedValues(selector)) return true;
      ask(onLeave);
      return false;
    };
    const onMoved = () => {
      at = location.href;
    };
    // Push the previous entry again, on top of the one the browser went to.
    leaving.onPopState = () => {
      if (location.href === at || !hasUnsavedValues('')) return true;
      history.pushState(null, '', at);
      ask(() => history.back());
      return false;
    };
    const onBeforeUnload = (event: Event) => {
      if (hasUnsavedValues('')) event.preventDefault();
    };
    const listeners = [
      [document, 'focusin', remember],
      [document, 'pointerdown', remember],
      [document, 'keydown', remember],
      [document, 'click', noticeClick],
      [document, 'submit', noticeSubmit],
      [window, 'clockproof:moved', onMoved],
      [window, 'beforeunload', onBeforeUnload],
    ] as const;
    for (const [target, type, listener] of listeners) target.addEventListener(type, listener, true);
    // Runs before the form's own handler, which may open another page.
    const { onSuccess } = changes.config;
    changes.config.onSuccess = (...answer) => {
      if (answer[3].meta?.['preview'] !== true) forgetSent();
      return onSuccess?.(...answer);
    };
    return () => {
      for (const [target, type, listener] of listeners) target.removeEventListener(type, listener, true);
      if (onSuccess === undefined) delete changes.config.onSuccess;
      else changes.config.onSuccess = onSuccess;
      leaving.mayLeave = () => true;
      leaving.onPopState = () => true;
    };
  }, [changes]);
  const box = useRef<HTMLDialogElement>(null);
  const open = leave !== undefined;
  useEffect(() => {
    if (open) box.current?.showModal();
  }, [open]);
  if (!open) return null;
  return (
    <dialog ref={box} className="asking" aria-labelledby="unsaved-title" onClose={() => setLeave(undefined)}>
      <h2 id="unsaved-title">{words.unsaved_title}</h2>
      <p>{words.unsaved_text}</p>
      <div className="end">
        <button
          type="button"
          className="button"
          onClick={() => {
            initialValues.clear();
            box.current?.close();
            leave();
          }}
        >
          {words.unsaved_discard}
        </button>
        {/* biome-ignore lint/a11y/noAutofocus: the dialog focuses the button that loses nothing */}
        <button type="button" className="button primary" autoFocus onClick={() => box.current?.close()}>
          {words.unsaved_stay}
        </button>
      </div>
    </dialog>
  );
}
