/**
 * The Chromium of the tests: Debian's headless shell, or else the whole browser. The shell has the same engine without
 * windows, profiles and extensions, and takes about two thirds of the processor time.
 */
import { existsSync } from 'node:fs';

/** Path of the program; undefined if there is none. */
export const chromiumPath: string | undefined = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) =>
  existsSync(path),
);

/** Letters as wide in the shell as in the browser, which does not hint fonts. */
export const chromiumFlags: readonly string[] = ['--font-render-hinting=none'];
