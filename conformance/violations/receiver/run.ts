/**
 * Tests the role of the service towards receivers: one receiver after the other that breaks a requirement, which must
 * fail. `node conformance/dist/violations/receiver/run.js`; exits 0 if at least 95 % are caught and named.
 */
import { namedBy, receiverViolations } from './list.js';

let named = 0;
for (const violation of receiverViolations) {
  const failed = await namedBy(violation);
  const right = failed.includes(violation.breaks);
  if (right) named += 1;
  console.log(
    `${right ? 'caught' : 'MISSED'} ${violation.id} the receiver ${violation.does}: ${failed.join(', ') || 'nothing failed'}`,
  );
}
const all = receiverViolations.length;
console.log(
  `\n${named} of ${all} (${((100 * named) / all).toFixed(1)} %) violations of a receiver named by the right requirement`,
);
process.exitCode = named >= all * 0.95 ? 0 : 1;
