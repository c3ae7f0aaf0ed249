/** Writes `specification/table.md`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRequirements } from '../kit/requirements.js';
import { root } from '../kit/target.js';
import { readStatements, roleRequirements, table } from './table.js';

writeFileSync(join(root, 'specification/table.md'), table(readStatements(), await allRequirements(), roleRequirements));
