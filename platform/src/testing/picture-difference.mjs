// A thread that compares two pictures. In Jest's own, where each use of a global costs as much as a hundred elsewhere,
// it takes seconds. Posts the difference that Playwright's own tests would find, and the pixels by colour of both.
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

// The package has no types for them.
const require = createRequire(import.meta.url);
const { utils } = require('playwright-core/lib/coreBundle');
const { PNG } = require('playwright-core/lib/utilsBundle');

/** @returns pixels by colour, as red, green and blue in one number */
function countColours(file) {
  const { data } = PNG.sync.read(file);
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const colour = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return counts;
}

const [actual, reference] = workerData.pictures.map((picture) => Buffer.from(picture));
parentPort.postMessage({
  found: utils.getComparator('image/png')(actual, reference, workerData.tolerance),
  colours: [actual, reference].map(countColours),
});
