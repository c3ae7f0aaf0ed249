import { randomBytes } from 'node:crypto';
import type { Answer, Client } from '../../kit/client.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import type { World } from '../../kit/world.js';
import { closedMonth, newTransaction } from '../proofs/support.js';
import { absence, clock, monthToClose, type Operation } from '../support.js';

const clocks: readonly Operation[] = ['in', 'out', 'break/start', 'break/end'];
/** Collects what is answered otherwise. */
type Expect = (what: string, answer: Answer, status: number, code: string) => void;

export default requirement({
  id: 'CON-022',
  suite: 'contract',
  level: 'must',
  says: 'Each operation of the API refuses a case with the code that it documents for it, not only the operation where that case is usual.',
  limit: 90,
  async check(world) {
    const faults: string[] = [];
    const expect: Expect = (subject, answer, status, code) => {
      if (answer.status !== status || answer.get('code') !== code)
        faults.push(`${subject}: ${answer.status} ${String(answer.get('code') ?? '')} instead of ${code}`);
    };
    await cursorsOfOthers(world, expect);
    await keysOfNoCompany(world, expect);
    await usedIdempotencyKeys(world, expect);
    await afterEmployment(world, expect);
    await fixedMonths(world, expect);
    await kindsAndOverlaps(world, expect);
    await tooManyBreaks(world, expect);
    await anchoring(world, expect);
    await linking(world, expect);
    ensure(faults.length === 0, faults.join('; '));
  },
});

async function cursorsOfOthers(world: World, expect: Expect) {
  const { api } = await world.newExtension();
  await world.newPerson();
  await world.newPerson();
  const cursor = (await api.get('/api/v1/users?limit=1')).is(200).string('next_cursor');
  const day = '2026-01-01';
  const period = `from=${day}&to=${day}`;
  for (const path of [
    `time/entries?${period}`,
    `time/leaves?${period}`,
    `time/bookings?${period}`,
    `time/balances?date=${day}`,
    'events?limit=1',
  ])
    expect(path, await api.get(`/api/v1/${path}&cursor=${cursor}`), 400, 'invalid_cursor');
}

async function keysOfNoCompany(world: World, expect: Expect) {
  const { api } = await world.newExtension({ acting: 'personal_link', company_id: undefined });
  const person = await world.newPerson();
  const fullExtension = await world.newExtension();
  const id = (await absence(world, fullExtension.api, person)).is(201).number('id');
  for (const action of clocks) expect(`clock ${action}`, await clock(api, person, action), 403, 'company_mismatch');
  await eachWriteOfAbsences(world, api, person, id, (subject, answer) =>
    expect(subject, answer, 403, 'company_mismatch'),
  );
  const writes = await world.newExtension({
    acting: 'personal_link',
    company_id: undefined,
    scopes: ['write:absences'],
  });
  expect('getAbsence', await writes.api.get(`/api/v1/absences/${id}`), 403, 'company_mismatch');
}

async function eachWriteOfAbsences(
  world: World,
  api: Client,
  person: { readonly id: number },
  id: number,
  check: (what: string, answer: Answer) => void,
) {
  check('createAbsence', await absence(world, api, person));
  check('updateAbsence', await api.patch(`/api/v1/absences/${id}`, { comment: 'x' }));
  check('deleteAbsence', await api.delete(`/api/v1/absences/${id}`));
}

const freshKey = () => ({ 'idempotency-key': `kit-${randomBytes(9).toString('hex')}` });

async function usedIdempotencyKeys(world: World, expect: Expect) {
  const { api } = await world.newExtension();
  const person = await world.newPerson();
  const [firstKey, secondKey] = [freshKey(), freshKey()];
  (await clock(api, person, 'in', firstKey)).is(200);
  for (const action of ['break/start', 'break/end'] as const)
    expect(`clock ${action}`, await clock(api, person, action, firstKey), 409, 'idempotency_conflict');
  const body = { user_id: person.id, type: 'vacation', start_date: '2027-06-07', end_date: '2027-06-07' };
  expect('createAbsence', await api.post('/api/v1/absences', body, { headers: firstKey }), 409, 'idempotency_conflict');
  const id = (await absence(world, api, person)).is(201).number('id');
  const path = `/api/v1/absences/${id}`;
  expect('updateAbsence', await api.patch(path, { comment: 'x' }, { headers: firstKey }), 409, 'idempotency_conflict');
  expect('deleteAbsence', await api.delete(path, { headers: firstKey }), 409, 'idempotency_conflict');
  (await clock(api, person, 'out', secondKey)).is(200);
  expect('clock in', await clock(api, person, 'in', secondKey), 409, 'idempotency_conflict');
}

async function afterEmployment(world: World, expect: Expect) {
  const { api } = await world.newExtension();
  const person = await world.newPerson({ employment_end: '2026-01-31' });
  for (const action of clocks) expect(`clock ${action}`, await clock(api, person, action), 409, 'employment_ended');
  const firstDays = { start_date: '2026-01-12', end_date: '2026-01-13' };
  const id = (await absence(world, api, person, firstDays)).is(201).number('id');
  const laterDays = { start_date: '2026-02-02', end_date: '2026-02-03' };
  expect('updateAbsence', await api.patch(`/api/v1/absences/${id}`, laterDays), 409, 'employment_ended');
}

async function fixedMonths(world: World, expect: Expect) {
  const { company, person, month, close } = await monthToClose(world);
  const leadingExtension = await world.newExtension({ company_id: company, absences_count_as_approved: true });
  const inMonth = { start_date: `${month}-10`, end_date: `${month}-11` };
  const creation = (await absence(world, leadingExtension.api, person, inMonth)).is(201);
  const leadingAbsence = (await absence(world, leadingExtension.api, person)).is(201);
  await close();
  const expectClosed = (subject: string, answer: Answer) => expect(subject, answer, 409, 'month_closed');
  const otherDays = { start_date: `${month}-17`, end_date: `${month}-18` };
  expectClosed('createAbsence', await absence(world, leadingExtension.api, person, otherDays));
  const path = (answer: Answer) => `/api/v1/absences/${answer.number('id')}`;
  expectClosed('updateAbsence', await leadingExtension.api.patch(path(leadingAbsence), otherDays));
  expectClosed('deleteAbsence', await leadingExtension.api.delete(path(creation)));
}

async function kindsAndOverlaps(world: World, expect: Expect) {
  const { id: company } = await world.company();
  const key = `whole_${randomBytes(4).toString('hex')}`;
  const kind = { key, label: key, half_day: false, requires_approval: true, counts_as_vacation: false, away: true };
  await world.fixtures.createAbsenceType(company, kind);
  const { api } = await world.newExtension();
  const person = await world.newPerson();
  const { monday, wednesday, friday } = world.week();
  const [firstDays, lastDays] = [
    { start_date: monday, end_date: monday },
    { start_date: wednesday, end_date: friday },
  ];
  const halfDay = { type: key, half_day: 'morning' };
  expect('createAbsence', await absence(world, api, person, { ...firstDays, ...halfDay }), 422, 'half_day_not_allowed');
  const creation = (await absence(world, api, person, { ...firstDays, type: key })).is(201).number('id');
  (await absence(world, api, person, lastDays)).is(201);
  const path = `/api/v1/absences/${creation}`;
  expect('updateAbsence', await api.patch(path, { half_day: 'morning' }), 422, 'half_day_not_allowed');
  expect('updateAbsence', await api.patch(path, { end_date: wednesday }), 409, 'absence_overlap');
}

/** A day has at most a hundred. */
async function tooManyBreaks(world: World, expect: Expect) {
  const person = await world.newPerson();
  let { api } = await world.newExtension();
  (await clock(api, person, 'in')).is(200);
  for (let count = 1; count <= 100; count++) {
    // A key has a limit a minute.
    if (count % 40 === 0) ({ api } = await world.newExtension());
    (await clock(api, person, 'break/start')).is(200);
    (await clock(api, person, 'break/end')).is(200);
  }
  expect('startBreak', await clock(api, person, 'break/start'), 409, 'too_many_breaks');
}

async function anchoring(world: World, expect: Expect) {
  const { api, anchors, claims } = await closedMonth(world);
  const headers = freshKey();
  const report = newTransaction();
  const checks = (first: number) =>
    Array.from({ length: 20 }, (_, index) => ({ index: `https://index-${first + index}.example`, verdict: 'match' }));
  (await api.post(claims, { seconds: 1 }, { headers })).is(201);
  expect('claimCommitment', await api.post(claims, { seconds: 2 }, { headers }), 409, 'idempotency_conflict');
  expect('reportAnchor', await api.post(anchors, report, { headers }), 409, 'idempotency_conflict');
  (await api.post(anchors, { ...report, checks: checks(0) })).is(201);
  expect('reportAnchor', await api.post(anchors, { ...report, checks: checks(1) }), 409, 'anchor_limit');
}

async function linking(world: World, expect: Expect) {
  const app = await world.app();
  await world.fixtures.changeExtension(app.registered.id, { linking: false });
  expect('exchangeToken', await app.exchange('cpc_nothing', app.newVerifier()), 400, 'unauthorized_client');
}
