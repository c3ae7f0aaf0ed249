/**
 * V8's bias between speed and size, by what the process is doing. Starting and reading a long history make much garbage
 * quickly and wait for node and disk: a small heap costs
 * nothing there and saves about 20 MB. Look-ups are a third faster with the usual bias.
 *
 * The process imports this file before all others, because the heap has its size from what is loaded first.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--optimize-for-size');

/** The history has been read: from now on there are look-ups. */
export function letHeapGrow(): void {
  setFlagsFromString('--no-optimize-for-size');
}
