import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

const builtIn = [
  ...['vacation', 'special_leave', 'overtime_reduction', 'sickness', 'sickness_child', 'training', 'maternity'],
  ...['parental_leave', 'home_office', 'business_trip', 'unpaid_leave', 'military_service', 'other'],
];

export default requirement({
  id: 'ABS-029',
  suite: 'absences',
  level: 'must',
  says: 'A new company offers the thirteen built-in kinds of absence, each with its rules.',
  async check(world) {
    const { id } = await world.neighbour();
    const kinds = await world.fixtures.listAbsenceTypes(id);
    equal(
      builtIn.filter((key) => !kinds.some((kind) => at(kind, 'key') === key)),
      [],
      'kinds that are missing',
    );
    for (const kind of kinds)
      for (const rule of ['requires_approval', 'counts_as_vacation', 'half_day'])
        equal(typeof at(kind, rule), 'boolean', `${rule} of ${String(at(kind, 'key'))}`);
  },
});
