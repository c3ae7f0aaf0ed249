import { rmSync } from 'node:fs';

export default async function endTestRun() {
  await Promise.all((globalThis.__clockproofPostgres ?? []).map((server) => server.stop()));
  rmSync(globalThis.__clockproofTestFolder, { recursive: true, force: true });
}
