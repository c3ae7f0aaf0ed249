import type { Answer } from '../../kit/client.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import type { World } from '../../kit/world.js';
import type { Card } from '../../peers/card.js';
import type { Terminal } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-047',
  suite: 'terminal',
  level: 'must',
  says: 'Whether a stamp or the balances are allowed is decided when they are requested, not only when the card is presented.',
  limit: 90,
  async check(world) {
    const faults: string[] = [];
    const expect = (subject: string, answer: Answer, status: number, code: string) => {
      if (answer.status !== status || answer.get('code') !== code)
        faults.push(`${subject}: ${answer.status} ${String(answer.get('code') ?? '')} instead of ${code}`);
    };
    const person = await world.signedIn(2);
    const ownTerminal = await world.newTerminal({ repeat_lock_seconds: 0, show_info: true });
    const card = await world.issue(ownTerminal, person, 'desfire');
    const { api } = await world.newExtension();
    const clock = (operation: string) => api.post(`/api/v1/clock/${operation}`, { user_id: person.id });
    (await clock('in')).is(200);
    expect('break_end', await stampAfter(ownTerminal, card, 'break_end'), 409, 'not_on_break');
    (await clock('break/start')).is(200);
    expect('break_start', await stampAfter(ownTerminal, card, 'break_start'), 409, 'already_on_break');
    const session = (await ownTerminal.hold(card)).is(200).string('session');
    const info = { session, pin: '999999' };
    expect('info', await ownTerminal.send('POST', '/api/v1/terminal/info', info), 403, 'pin_wrong');
    expect('a deactivated company', await stampOfDeactivatedCompany(world), 409, 'employment_ended');
    ensure(faults.length === 0, faults.join('; '));
  },
});

async function stampAfter(terminal: Terminal, card: Card, action: string): Promise<Answer> {
  const session = (await terminal.hold(card)).is(200).string('session');
  return terminal.send('POST', '/api/v1/terminal/stamp', { session, action });
}

/** The company is deactivated between the proof of the badge and the stamp. */
async function stampOfDeactivatedCompany(world: World): Promise<Answer> {
  const { id: companyId, departments } = await world.newCompany('Leaving');
  const terminal = await world.newTerminal({ company_id: companyId });
  const person = await world.newPerson({ company_id: companyId, department_id: departments[0] });
  const card = await world.issue(terminal, person, 'ntag424');
  const session = (await terminal.hold(card)).is(200).string('session');
  const from = Date.now();
  await world.fixtures.setCompanyActive(companyId, false);
  const answer = await terminal.send('POST', '/api/v1/terminal/stamp', { session, action: 'in' });
  world.inTime(from, 25, 'the stamp');
  return answer;
}
