/** The schema of the first version. Tables refer only to tables before them. */
import type { Migration } from '@clockproof/platform/database/database';
import { absences } from './0001-absences.js';
import { access } from './0001-access.js';
import { clock } from './0001-clock.js';
import { companiesAndPeople } from './0001-companies-and-people.js';
import { extensions } from './0001-extensions.js';
import { inbox } from './0001-inbox.js';
import { months } from './0001-months.js';
import { proofs } from './0001-proofs.js';
import { store } from './0001-store.js';
import { terminals } from './0001-terminals.js';

export const baseline: Migration = {
  id: '0001-baseline',
  statements: (d) =>
    [companiesAndPeople, extensions, store, clock, absences, months, proofs, access, terminals, inbox].flatMap(
      (tables) => tables(d),
    ),
};
