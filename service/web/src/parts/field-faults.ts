/**
 * Reports missing or wrong values in the fields of a form that cannot be sent, in the language of the page. Browsers
 * find the faults, but would report them in their own language, in a bubble that goes away: here the text stands below
 * the field until the value is right. Every form gets it without doing anything; the first field at fault gets the
 * focus.
 */
import type { Words } from '../words/en.js';
import { languageOf } from '../words/words.js';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const places = new Map<Field, HTMLElement>();
/** The invalid fields of one attempt to send, in their order on the page. */
let invalidFields: Field[] = [];
let count = 0;

/** Starts listening for as long as the page is open. */
export function tellFieldFaults(): void {
  addEventListener(
    'invalid',
    (event) => {
      event.preventDefault();
      invalidFields.push(event.target as Field);
      if (invalidFields.length === 1) setTimeout(() => void showFaults());
    },
    true,
  );
  // A date that is chosen and a draft that is discarded change a field without an event of its own.
  for (const kind of ['input', 'change', 'click', 'focusin', 'submit'])
    addEventListener(kind, () => places.size > 0 && setTimeout(() => void refresh()), true);
  new MutationObserver(() => void refresh()).observe(document.documentElement, { attributeFilter: ['lang'] });
}

async function showFaults(): Promise<void> {
  const fields = invalidFields;
  invalidFields = [];
  fields[0]?.focus();
  const words = await wordsOfPage();
  for (const field of fields) {
    const place = places.get(field) ?? placeFor(field);
    place.textContent = sentenceFor(field, words);
    places.set(field, place);
  }
}

/** Removes faults that are no longer true, and writes the rest in the current language. */
async function refresh(): Promise<void> {
  if (places.size === 0) return;
  const words = await wordsOfPage();
  for (const [field, place] of places) {
    if (field.isConnected && field.willValidate && !field.validity.valid) place.textContent = sentenceFor(field, words);
    else {
      places.delete(field);
      place.remove();
      field.removeAttribute('aria-invalid');
      describe(field, (ids) => ids.filter((id) => id !== place.id));
    }
  }
}

function placeFor(field: Field): HTMLElement {
  const place = document.createElement('p');
  place.id = `field-fault-${++count}`;
  place.className = 'field-fault';
  const wrapper = field.closest('.mantine-InputWrapper-root, .mantine-Checkbox-root, .mantine-Radio-root');
  if (wrapper === null) field.after(place);
  else wrapper.append(place);
  field.setAttribute('aria-invalid', 'true');
  describe(field, (ids) => [...ids, place.id]);
  return place;
}

function describe(field: Field, change: (ids: readonly string[]) => readonly string[]): void {
  const ids = change((field.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== ''));
  if (ids.length === 0) field.removeAttribute('aria-describedby');
  else field.setAttribute('aria-describedby', ids.join(' '));
}

/** Every page with a form loads these words. */
async function wordsOfPage(): Promise<Words> {
  return languageOf(document.documentElement.lang) === 'de'
    ? (await import('../words/de.js')).de
    : (await import('../words/en.js')).en;
}

function sentenceFor(field: Field, { field_faults: words }: Words): string {
  const { validity, type } = field;
  // A pattern for something other than blanks, which is missing too.
  if (validity.valueMissing || field.value.trim() === '')
    return type === 'checkbox' ? words.tick : type === 'radio' || type.startsWith('select') ? words.choose : words.fill;
  if (validity.typeMismatch) return type === 'email' ? words.email : words.url;
  if (validity.badInput) return words.number;
  const limits = field as HTMLInputElement;
  if (validity.rangeUnderflow) return words.at_least(limits.min);
  if (validity.rangeOverflow) return words.at_most(limits.max);
  if (validity.stepMismatch) return words.whole;
  return words.form;
}
