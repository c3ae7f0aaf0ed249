import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-029',
  suite: 'time',
  level: 'must',
  says: 'Balances of a day and bookings of a period are listed for the people that the key may read, and for nobody else.',
  covers: ['A company key acting for everyone writes for any person of its company, and for nobody else.'],
  async check(world) {
    const { api } = await world.newExtension();
    const person = await world.newPerson();
    const today = (await world.company()).today();
    const balances = (await api.get(`/api/v1/time/balances?date=${today}&user_id=${person.id}`)).is(200);
    const [balance] = balances.list('data');
    equal(at(balance, 'user_id'), person.id, 'user_id of the balance');
    const period = `from=${today}&to=${today}`;
    const bookings = (await api.get(`/api/v1/time/bookings?${period}&user_id=${person.id}`)).is(200);
    equal(bookings.list('data').length, 0, 'bookings of somebody new');
    const { id } = await world.neighbour();
    const foreignPerson = await world.newPerson({ company_id: id, department_id: undefined });
    for (const path of [`balances?date=${today}`, `bookings?${period}`])
      (await api.get(`/api/v1/time/${path}&user_id=${foreignPerson.id}`)).is(404, 'not_found');
  },
});
