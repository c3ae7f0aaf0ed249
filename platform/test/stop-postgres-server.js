import { rmSync } from 'node:fs';

export default async function endTestRun() {
  await globalThis.__clockproofPostgres?.stop();
  rmSync(globalThis.__clockproofTestFolder, { recursive: true, force: true });
}
