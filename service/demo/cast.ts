/** The people of the demo. Names, companies and addresses are invented. */
import { readZone, type ZoneName } from '@clockproof/platform/time/zone';
import type { PersonRow } from '../src/people/rows.js';

export interface CastCompany {
  readonly name: string;
  readonly timeZone: ZoneName;
  readonly region: string;
  readonly domain: string;
  readonly people: readonly CastPerson[];
}

export interface CastPerson {
  readonly firstName: string;
  readonly lastName: string;
  readonly department: string;
  readonly role: PersonRow['role'];
  /** Has a password and a second factor. The others have not accepted their invitation yet. */
  readonly signsIn: boolean;
}

type Listed = readonly [firstName: string, lastName: string, department: string, role?: PersonRow['role']];

const signingIn = ([firstName, lastName, department, role = 'employee']: Listed): CastPerson => ({
  firstName,
  lastName,
  department,
  role,
  signsIn: true,
});
const makeOthers = (department: string, names: readonly string[]): CastPerson[] =>
  names.map((name, index) => {
    const [firstName, lastName] = name.split(' ') as [string, string];
    return { firstName, lastName, department, role: index === 0 ? 'approver' : 'employee', signsIn: false };
  });
const makeEmployees = (department: string, names: readonly string[]): CastPerson[] =>
  makeOthers(department, names).map((person) => ({ ...person, role: 'employee' }));

const berlin = readZone('Europe/Berlin')!;

export const cast: readonly CastCompany[] = [
  {
    name: 'Nordlicht Logistik GmbH',
    timeZone: berlin,
    region: 'DE-HH',
    domain: 'nordlicht-logistik.example',
    people: [
      ...(
        [
          ['Jana', 'Petersen', 'Disposition'],
          ['Emre', 'Yıldız', 'Lager'],
          ['Ole', 'Hansen', 'Lager'],
          ['Mia', 'Brandt', 'Disposition', 'approver'],
          ['Lena', 'Krüger', 'Verwaltung', 'company_admin'],
          ['Tariq', 'Aziz', 'Lager'],
          ['Sina', 'Voss', 'Verwaltung', 'super_admin'],
        ] satisfies readonly Listed[]
      ).map(signingIn),
      ...makeEmployees('Disposition', ['Carla Neumann', 'Henrik Sørensen', 'Julia Bauer', 'Nam Nguyen']),
      ...makeOthers('Lager', [
        'Tom Reuter',
        'Lina Vogt',
        'Jonas Albers',
        'Aylin Demir',
        'Paweł Nowak',
        'Katarzyna Zielińska',
        'Finn Matthiesen',
        'Marek Dvořák',
        'Sophie Lindner',
        'Ahmed Hassan',
        'Malte Jensen',
      ]),
      ...makeOthers('Fuhrpark', [
        'Nele Claussen',
        'Björn Larsen',
        'Ivan Petrov',
        'Heike Schröder',
        'Dennis Koch',
        'Olga Weber',
        'Mehmet Kaya',
        'Rico Thiele',
        'Anja Böttcher',
      ]),
      ...makeOthers('Kundendienst', [
        'Greta Sommer',
        'Luca Ferrari',
        'Hanna Meyer',
        'David Okafor',
        'Pia Winkler',
        'Tim Ehlers',
      ]),
      ...makeEmployees('Verwaltung', ['Ute Friedrichs', 'Stefan Wolff', 'Marie Dubois']),
    ],
  },
  {
    name: 'Südwind Energie AG',
    timeZone: berlin,
    region: 'DE-BY',
    domain: 'suedwind-energie.example',
    people: (
      [
        ['Anton', 'Huber', 'Montage'],
        ['Resi', 'Maier', 'Montage'],
        ['Paul', 'Wagner', 'Planung', 'approver'],
        ['Vroni', 'Lechner', 'Planung', 'company_admin'],
        ['Kofi', 'Mensah', 'Montage'],
      ] satisfies readonly Listed[]
    ).map(signingIn),
  },
];

/** `Paweł Nowak` has `pawel.nowak@…`. */
export function emailOf({ firstName, lastName }: CastPerson, domain: string): string {
  return `${firstName}.${lastName}@${domain}`
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ı', 'i')
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o');
}
