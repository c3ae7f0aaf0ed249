import type { Frame } from '../../src/screen/view.js';

/** Hertz and milliseconds, one tone after the other. */
const tones = {
  accept: [
    [660, 70],
    [880, 70],
  ],
  refuse: [[220, 300]],
  offline: [
    [660, 70],
    [0, 60],
    [660, 70],
  ],
} as const;
const levels = { quiet: 0.05, normal: 0.25 } as const;

let lastNumber: number | undefined;
let context: AudioContext | undefined;

/** Plays the sound of a frame once; the page never repeats the sound of its first frame. */
export function playOnce({ played, sound }: Frame): void {
  const number = played?.number ?? 0;
  const isNew = lastNumber !== undefined && number > lastNumber;
  lastNumber = number;
  if (!isNew || played === undefined || sound === 'off') return;
  context ??= new AudioContext();
  // Without the kiosk's permission to play sound the screen alone has to do.
  void context.resume().catch(() => undefined);
  let at = context.currentTime;
  for (const [frequency, milliseconds] of tones[played.sound]) {
    if (frequency > 0) {
      const oscillator = context.createOscillator();
      const gain = context.createGain();
      oscillator.frequency.value = frequency;
      gain.gain.value = levels[sound];
      oscillator.connect(gain).connect(context.destination);
      oscillator.start(at);
      oscillator.stop(at + milliseconds / 1_000);
    }
    at += milliseconds / 1_000;
  }
}
