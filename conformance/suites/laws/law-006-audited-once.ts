import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, clock, eventually } from '../support.js';

/** Milliseconds by which clocks of several processes may differ. */
const tolerance = 2_000;

export default requirement({
  id: 'LAW-006',
  suite: 'laws',
  level: 'must',
  says: 'Each write stands once in the audit log, with the extension, the person and its time; a repeated one stands there once.',
  covers: ['Every write is in the audit log with the extension.'],
  last: true,
  limit: 60,
  async check(world) {
    const { id, api } = await world.newExtension();
    const person = await world.newPerson();
    const clockOffset = await world.ahead();
    const writes: { readonly what: string; readonly from: number; readonly until: number }[] = [];
    const write = async (what: string, request: () => ReturnType<typeof clock>) => {
      const from = Date.now();
      const answer = await request();
      ensure(answer.status < 300, `${what} was answered with ${answer.status} ${answer.brief()}`);
      writes.push({ what, from, until: Date.now() });
      return answer;
    };
    const key = { 'idempotency-key': `kit-audit-${id}` };
    for (const operation of ['in', 'break/start', 'break/end', 'out'] as const)
      await write(operation, () => clock(api, person, operation, operation === 'in' ? key : {}));
    (await clock(api, person, 'in', key)).is(200);
    const leave = (await write('absence', () => absence(world, api, person))).number('id');
    await write('change', () => api.patch(`/api/v1/absences/${leave}`, { comment: 'Changed' }));
    await write('withdrawal', () => api.delete(`/api/v1/absences/${leave}`));

    const entries = await eventually(async () => {
      const pages = [];
      for (const action of ['clock.', 'absence.']) pages.push(await world.fixtures.listAuditEntries({ action }));
      const ownEntries = pages.flat().filter((entry) => at(entry, 'actor.id') === id);
      return ownEntries.length >= writes.length ? ownEntries : undefined;
    }, `${writes.length} writes are in the audit log`);
    const places = entries.map((entry) => Number(at(entry, 'sequence'))).sort((a, b) => a - b);
    equal(new Set(places).size, writes.length, 'entries of the audit log about these writes');
    equal(entries.length, writes.length, 'entries of the audit log, each once');
    for (const entry of entries)
      equal(at(entry, 'subject.person_id'), person.id, `the person of ${at(entry, 'action')}`);
    const inOrder = places.map((place) => entries.find((entry) => at(entry, 'sequence') === place));
    for (const [index, { what, from, until }] of writes.entries()) {
      const time = Date.parse(String(at(inOrder[index], 'at'))) - clockOffset;
      ensure(
        time >= from - tolerance && time <= until + tolerance,
        `the audit log has ${what} at ${String(at(inOrder[index], 'at'))}`,
      );
    }
  },
});
