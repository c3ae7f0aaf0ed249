/** Part of a release: adds the migrations that are new to `released.json`. From then on they never change. */
import { writeFileSync } from 'node:fs';
import { migrations } from '../src/migrations/migrations.js';
import { faultsOf, lockFile, lockOf, readLock } from './migration-lock.js';

const released = readLock();
const faults = faultsOf(migrations, released);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
writeFileSync(lockFile, `${JSON.stringify(lockOf(migrations), null, 2)}\n`);
console.log(`migrations: ${migrations.length - Object.keys(released).length} released`);
