import { expect, it } from '@jest/globals';
import { sortName } from './sort-name.js';

it('names sort as readers expect', () => {
  const names = [
    'Zielińska',
    'bold',
    'Brandt',
    'Äpfel',
    'Lange',
    'Böttcher',
    'Özil',
    'Lang Meyer',
    'Lang',
    'Strauß',
    'Strasse',
  ];
  const order = names.map((last_name) => ({ last_name, first_name: 'Ada' }));
  const key = (name: (typeof order)[number]) => Buffer.from(sortName(name));
  expect(order.toSorted((a, b) => Buffer.compare(key(a), key(b))).map(({ last_name }) => last_name)).toEqual([
    'Äpfel',
    'bold',
    'Böttcher',
    'Brandt',
    'Lang',
    'Lang Meyer',
    'Lange',
    'Özil',
    'Strasse',
    'Strauß',
    'Zielińska',
  ]);
  const [benSortName, adaSortName] = [
    sortName({ last_name: 'Lang', first_name: 'Ben' }),
    sortName({ last_name: 'Lang', first_name: 'Ada' }),
  ];
  expect(adaSortName < benSortName).toBe(true);
});
