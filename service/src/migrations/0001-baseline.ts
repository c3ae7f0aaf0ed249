/** The schema of the first version. Tables refer only to tables before them. */
import type { Migration } from '@clockproof/platform/database/database';
import { absences } from './baseline/absences.js';
import { access } from './baseline/access.js';
import { clock } from './baseline/clock.js';
import { companiesAndPeople } from './baseline/companies-and-people.js';
import { extensions } from './baseline/extensions.js';
import { inbox } from './baseline/inbox.js';
import { months } from './baseline/months.js';
import { store } from './baseline/store.js';
import { terminals } from './baseline/terminals.js';

export const baseline: Migration = {
  id: '0001-baseline',
  statements: (d) =>
    [companiesAndPeople, extensions, store, clock, absences, months, access, terminals, inbox].flatMap((tables) =>
      tables(d),
    ),
};
