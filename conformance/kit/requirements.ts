/** Every requirement: one file each under `suites/`. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Requirement, type Suite, suites } from './requirement.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'suites');
const requirementFile = /^[a-z]{2,4}-\d{3}-[a-z0-9-]+\.(js|ts)$/;

/** In the order of suites and ids. @throws Error a file whose name does not begin with its id */
export async function allRequirements(chosenSuites: readonly Suite[] = suites): Promise<readonly Requirement[]> {
  const requirements: Requirement[] = [];
  for (const suite of chosenSuites)
    for (const file of readdirSync(join(folder, suite)).sort()) {
      if (!requirementFile.test(file) || file.endsWith('.d.ts')) continue;
      const { default: requirement } = (await import(pathToFileURL(join(folder, suite, file)).href)) as {
        default: Requirement;
      };
      if (requirement.suite !== suite || !file.startsWith(`${requirement.id.toLowerCase()}-`))
        throw new Error(`${suite}/${file} holds ${requirement.id} of ${requirement.suite}`);
      requirements.push(requirement);
    }
  return requirements;
}
