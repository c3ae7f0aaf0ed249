/**
 * A press acts on the element on which it began. Pages move between the press of a finger and its click: a form opens,
 * an answer arrives. The browser gives the click to the element that lies there by then.
 */

/** Elements that act when they are clicked. */
const controls = 'button, a[href], input[type="submit"], summary, [role="button"]';
/**
 * Two presses of one place within this time are a double tap, whose second press is not meant for an element that came
 * between. For a mouse the system defines a double click.
 */
const doubleTapMs = 1_000;
/** The greatest distance between two presses of one place, in pixels. */
const doubleTapDistance = 24;

interface Seen {
  readonly control: Element | null;
  /** The text and the subject of the control. The same element may get another text and another meaning. */
  readonly label: string;
}
interface Press extends Seen {
  readonly x: number;
  readonly y: number;
  readonly at: number;
  readonly isMouse: boolean;
}

let press: Press | undefined;
let pressBefore: Press | undefined;
let isDown = false;

/**
 * Ignores the click of a finger or a mouse on a control if the press began elsewhere, or if it is the second press of a
 * double tap and the first met another element. Keys, screen readers and scripts click without a press and always act.
 * Listens as long as the page is open, before any other listener.
 */
export function guardPresses(): void {
  addEventListener('pointerdown', notice, true);
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => setDown(false), true);
  // Typing between two presses makes them two separate presses.
  for (const type of ['keydown', 'input']) addEventListener(type, forget, true);
  addEventListener('click', judge, true);
}

/** Calls `move` once no finger or button of the mouse is down: changes that move the page wait for that. */
export function whenReleased(move: () => void): void {
  if (!isDown) {
    move();
    return;
  }
  const controller = new AbortController();
  const end = () => {
    controller.abort();
    // Runs after the click of the same press.
    setTimeout(move);
  };
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, end, { signal: controller.signal });
}

function setDown(down: boolean): void {
  isDown = down;
}

function forget(): void {
  press = undefined;
  pressBefore = undefined;
}

function notice({ target, isPrimary, clientX: x, clientY: y, timeStamp: at, pointerType }: PointerEvent): void {
  if (!isPrimary) return;
  setDown(true);
  pressBefore = press;
  press = { ...see(target), x, y, at, isMouse: pointerType === 'mouse' };
}

function see(target: EventTarget | null): Seen {
  const control = target instanceof Element ? target.closest(controls) : null;
  if (control === null) return { control, label: '' };
  // A page whose buttons stay while their subject changes names it with `data-subject`.
  const subject = control.closest('[data-subject]')?.getAttribute('data-subject');
  return { control, label: `${control.getAttribute('aria-label')} ${control.textContent} ${subject}` };
}

function judge(event: MouseEvent): void {
  // Only a click that follows a press counts its clicks.
  if (event.detail === 0 || press === undefined) return;
  const target = see(event.target);
  if (target.control === null || (isSame(target, press) && isSame(press, firstOf(press, pressBefore, event.detail))))
    return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** @returns the first press of a double tap or click, or the press alone */
function firstOf(last: Press, previous: Press | undefined, clicks: number): Press {
  if (previous === undefined || last.at - previous.at > doubleTapMs || (last.isMouse && clicks === 1)) return last;
  return Math.hypot(last.x - previous.x, last.y - previous.y) > doubleTapDistance ? last : previous;
}

/** A control that shows its state, such as a disclosure, has another text after each press. */
function isSame(first: Seen, second: Seen): boolean {
  if (first.control !== second.control) return false;
  return first.label === second.label || first.control?.matches('[aria-expanded], [aria-pressed]') === true;
}
