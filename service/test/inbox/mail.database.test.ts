/** E-mail: written with its cause, sent once, in the person's language, to a real SMTP server. */
import { dialects } from '@clockproof/platform/testing/databases';
import { day, hour, minute } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { noticeLetter, renderHtml, renderPlainText } from '../../src/inbox/mail/texts.js';
import { type NoticeFacts, notify } from '../../src/inbox/notices.js';
import { codeOf, createBrowser, dump, factorKeysOf, giveCredentials, password } from '../browser.js';
import { type MailServer, startMailServer } from '../mail-server.js';
import { createWorld, dataKey, type World } from '../world.js';

const from = 'Clockproof <time@clockproof.example>';

describe.each(dialects)('e-mail on %s', (dialect) => {
  let world: World;
  let server: MailServer;
  let boss: number;
  beforeEach(async () => {
    server = await startMailServer();
    world = await createWorld(dialect, { env: { SMTP_URL: server.url, MAIL_FROM: from } });
    boss = await world.hire({
      firstName: 'Bo',
      lastName: 'Chef',
      email: 'bo@clockproof.example',
      role: 'company_admin',
      language: 'de-AT',
    });
    await giveCredentials(world, [boss, world.people.ada], await factorKeysOf(world, dataKey));
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  const tell = (people: readonly number[], notice: NoticeFacts = { kind: 'pin_reset' }) =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      write.unaudited('progress');
      await notify(write, people, notice);
    });
  const outbox = () =>
    world.db.all<{ state: string; attempts: number; secret_sealed: unknown; address: unknown; error: unknown }>(
      'SELECT state, attempts, secret_sealed, address, error FROM mail_outbox ORDER BY id',
    );
  const states = async () => (await outbox()).map(({ state }) => state);

  it('e-mail informs people of a notice in their language, as text and HTML', async () => {
    await tell([world.people.ada, boss]);
    expect(await world.mail()).toBe(2);
    expect(server.mails.map(({ from: sender, to, subject }) => [sender, ...to, subject])).toEqual([
      ['time@clockproof.example', 'ada@clockproof.example', 'Your PIN was removed'],
      ['time@clockproof.example', 'bo@clockproof.example', 'Ihre PIN wurde entfernt'],
    ]);
    const [english, german] = server.mails;
    expect(german!.text).toContain('Guten Tag Bo Chef,');
    expect(german!.text).toContain('<html lang="de">');
    expect(english!.text).toContain('Auto-Submitted: auto-generated');
    expect(english!.text).toContain('From: Clockproof <time@clockproof.example>');
    expect(english!.link).toBe('http://localhost:8080/profile/badges');
    expect(await world.mail()).toBe(0);
    expect(server.mails.length).toBe(2);
  });

  it('e-mail is not written if its cause is rolled back', async () => {
    const transaction = world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      await notify(write, [boss], { kind: 'pin_reset' });
      throw new Error('the cause fails');
    });
    await expect(transaction).rejects.toThrow('the cause fails');
    expect(await outbox()).toEqual([]);
  });

  it('e-mail informs a person once of a decision about their request, and not of a withdrawal', async () => {
    const ada = await world.as(world.people.ada);
    const bo = await world.as(boss);
    await bo.call('PUT', '/app/notices/mail', { body: { kinds: [{ kind: 'request_waiting', mail: false }] } });
    const request = (date: string) =>
      ada.call('POST', '/app/me/absences', { body: { type: 'vacation', start_date: date, end_date: date } });
    const absence = await request('2026-12-07');
    expect((await ada.call('DELETE', `/app/me/absences/${absence.body['id']}`)).status).toBe(200);
    await request('2026-12-08');
    const { body } = await bo.call('GET', '/app/approvals');
    const [approval] = body['data'] as { id: string }[];
    expect((await bo.call('POST', `/app/approvals/${approval!.id}/approve`, { body: {} })).status).toBe(200);
    expect((await bo.call('POST', `/app/approvals/${approval!.id}/approve`, { body: {} })).status).toBe(409);
    expect((await ada.call('GET', '/app/notices')).body['data']).toMatchObject([
      {
        kind: 'request_decided',
        request: { kind: 'absence', outcome: 'approved', start_date: '2026-12-08', end_date: '2026-12-08' },
      },
    ]);
    expect(await world.mail()).toBe(1);
    expect(server.mails[0]).toMatchObject({ to: ['ada@clockproof.example'], subject: 'Your request was decided' });
  });

  it('e-mail is sent only for the kinds a person wants', async () => {
    const bo = await world.as(boss);
    expect((await bo.call('GET', '/app/notices/mail')).body).toEqual({
      available: true,
      email: 'bo@clockproof.example',
      kinds: [
        { kind: 'clock_out_missing', mail: true },
        { kind: 'time_corrected', mail: true },
        { kind: 'stamp_unresolved', mail: true },
        { kind: 'stamp_undecided', mail: true },
        { kind: 'request_waiting', mail: true },
        { kind: 'request_decided', mail: true },
        { kind: 'month_reopened', mail: true },
        { kind: 'proof_contradicted', mail: true },
        { kind: 'proofs_to_keep', mail: true },
        { kind: 'link_ended', mail: true },
        { kind: 'pin_reset', mail: true },
        { kind: 'proofs_stopped', mail: true },
        { kind: 'key_copied', mail: true },
        { kind: 'badge_failing', mail: true },
        { kind: 'proof_overdue', mail: true },
      ],
    });
    const settings = await bo.call('PUT', '/app/notices/mail', {
      body: { kinds: [{ kind: 'pin_reset', mail: false }] },
    });
    expect(settings.body['kinds']).toContainEqual({ kind: 'pin_reset', mail: false });
    await tell([boss]);
    await tell([boss], { kind: 'access_changed', change: 'reset' });
    expect(await world.mail()).toBe(1);
    expect(server.mails[0]!.subject).toBe('Ihr Zugang wurde zurückgesetzt');
    // One about their access always comes.
    const optOut = { kinds: [{ kind: 'access_changed', mail: false }] };
    expect((await bo.call('PUT', '/app/notices/mail', { body: optOut })).status).toBe(400);
    // The notice itself stays on the page.
    expect((await bo.call('GET', '/app/notices')).body['unread']).toBe(2);
  });

  it('e-mail carries an invitation, whose secret is sealed and kept no longer than needed', async () => {
    const bo = await world.as(boss);
    const invitation = await bo.call('POST', `/app/admin/people/${world.people.ben}/invitation`);
    expect(invitation.body['mailed']).toBe(true);
    const token = (invitation.body['url'] as string).split('#')[1]!;
    const database = await dump(world.db);
    expect(database).not.toContain(token);
    expect(database).not.toContain(Buffer.from(token).toString('hex'));
    expect(await world.mail()).toBe(1);
    expect(server.mails[0]!.subject).toBe('Your invitation to Clockproof');
    expect(server.mails[0]!.link).toBe(invitation.body['url']);
    expect(await outbox()).toMatchObject([{ state: 'sent', secret_sealed: null }]);
  });

  const ask = (email: string) => createBrowser(world.url).call('POST', '/app/password-reset', { body: { email } });

  it('e-mail brings a new password: one link, for thirty minutes, and the second factor stays', async () => {
    expect((await ask('ADA@clockproof.example')).status).toBe(204);
    expect(await world.mail()).toBe(1);
    expect(server.mails[0]!.to).toEqual(['ada@clockproof.example']);
    const [page, token] = server.mails[0]!.link!.split('#');
    expect(page).toBe('http://localhost:8080/reset-password');
    const browser = createBrowser(world.url);
    const send = (path: string, more: object = {}) =>
      browser.call('POST', `/app/password-reset/${path}`, { body: { token, ...more } });
    expect((await send('check')).body).toMatchObject({ first_name: 'Ada' });
    expect((await browser.call('POST', '/app/invitation/check', { body: { token } })).status).toBe(404);
    world.advance(30 * minute - 1);
    expect((await send('accept', { password: 'aaaaaaaaaaaa' })).body['code']).toBe('password_refused');
    const acceptance = await send('accept', { password: 'seven calm herons wade' });
    expect(acceptance.body).toEqual({ next: 'second_factor' });
    expect((await send('accept', { password: 'eight calm herons wade' })).body['code']).toBe('one_time_link_invalid');
    const enterPassword = (word: string) =>
      createBrowser(world.url).call('POST', '/app/sign-in', {
        body: { email: 'ada@clockproof.example', password: word },
      });
    expect((await enterPassword(password)).body['code']).toBe('credentials_invalid');
    expect((await enterPassword('seven calm herons wade')).status).toBe(200);
    const confirmation = await browser.call('POST', '/app/sign-in/second-factor', {
      body: { code: codeOf(world.people.ada, world.now()) },
    });
    expect(confirmation.body['next']).toBe('done');
  });

  it('e-mail brings no new password after thirty minutes', async () => {
    await ask('ada@clockproof.example');
    await world.mail();
    const token = server.mails[0]!.link!.split('#')[1]!;
    world.advance(30 * minute);
    const answer = await createBrowser(world.url).call('POST', '/app/password-reset/accept', {
      body: { token, password: 'seven calm herons wade' },
    });
    expect(answer.body['code']).toBe('one_time_link_invalid');
  });

  it('e-mail does not say whether an address exists, and does the same for it', async () => {
    const answers = [];
    for (const email of ['ada@clockproof.example', 'nobody@clockproof.example', 'ben@clockproof.example']) {
      const { status, body } = await ask(email);
      answers.push({ status, body });
    }
    expect(answers).toEqual(answers.map(() => ({ status: 204, body: { text: '' } })));
    expect(await states()).toEqual(['waiting', 'waiting', 'waiting']);
    await world.mail();
    // Ben has no password that could be forgotten.
    expect(server.mails.map(({ to }) => to[0])).toEqual(['ada@clockproof.example']);
    expect(await outbox()).toMatchObject([
      { state: 'sent', address: null },
      { state: 'dropped', address: null },
      { state: 'dropped', address: null },
    ]);
  });

  it('e-mail is limited for an address, and for a client', async () => {
    for (let count = 0; count < 5; count++) expect((await ask('ada@clockproof.example')).status).toBe(204);
    expect(await ask('ada@clockproof.example')).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect((await states()).length).toBe(3);
    world.advance(30 * minute);
    expect((await ask('ada@clockproof.example')).status).toBe(204);
    expect((await states()).length).toBe(4);
  });

  it('e-mail is retried if the server is busy, and given up after a refusal', async () => {
    await tell([boss]);
    server.fault = { at: 'recipient', reply: 451 };
    expect(await world.mail()).toBe(0);
    expect(await outbox()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    server.fault = { at: 'content', reply: 452 };
    world.advance(minute);
    expect(await world.mail()).toBe(0);
    server.fault = undefined;
    expect(await world.mail()).toBe(0);
    world.advance(5 * minute);
    expect(await world.mail()).toBe(1);
    expect(server.mails.length).toBe(1);
    server.fault = { at: 'recipient', reply: 550 };
    await tell([world.people.ada]);
    await world.mail();
    server.fault = undefined;
    world.advance(2 * day);
    expect(await world.mail()).toBe(0);
    expect(await states()).toEqual(['sent', 'failed']);
  });

  it('e-mail is given up when it is no longer worth sending', async () => {
    await tell([boss]);
    await server.close();
    for (let hours = 0; hours < 80; hours++) {
      await world.mail();
      world.advance(hour);
    }
    expect(await states()).toEqual(['failed']);
    expect((await outbox())[0]!.attempts).toBeGreaterThan(20);
  });

  it('e-mail is given up after three days to the second', async () => {
    await tell([boss]);
    world.advance(3 * day);
    expect(await world.mail()).toBe(0);
    expect(await states()).toEqual(['failed']);
  });

  it('unwritable e-mail does not delay the others', async () => {
    await tell([boss, world.people.ada]);
    await world.db.write((tx) =>
      tx.run(`UPDATE mail_outbox SET facts = '{"kind":"of_later"}' WHERE person_id = ${boss}`),
    );
    expect(await world.mail()).toBe(1);
    expect((await states()).sort()).toEqual(['failed', 'sent']);
  });

  it('several processes send an e-mail once', async () => {
    await world.replica();
    await tell(Array.from({ length: 6 }, () => boss));
    const counts = await Promise.all([world.mail(0), world.mail(dialect === 'sqlite' ? 0 : 1)]);
    expect(dialect === 'sqlite' ? counts[0] : counts[0]! + counts[1]!).toBe(6);
    expect(server.mails.length).toBe(6);
    expect(new Set(server.mails.map(({ text }) => /Message-ID: (\S+)/i.exec(text)![1])).size).toBe(6);
  });

  it('e-mail is sent by another process if one died before the server was ready for it', async () => {
    await tell([boss]);
    const lease = `lease_holder = 'dead', leased_until = ${world.now() + 5 * minute}`;
    await world.db.write((tx) => tx.run(`UPDATE mail_outbox SET ${lease}`));
    expect(await world.mail()).toBe(0);
    world.advance(5 * minute);
    expect(await world.mail()).toBe(1);
  });

  it('e-mail is not sent again if its acceptance is unknown', async () => {
    await tell([boss]);
    server.fault = 'cut';
    expect(await world.mail()).toBe(0);
    server.fault = undefined;
    expect(await states()).toEqual(['uncertain']);
    await tell([boss]);
    const lease = `state = 'sending', lease_holder = 'dead', leased_until = ${world.now() + 5 * minute}`;
    await world.db.write((tx) => tx.run(`UPDATE mail_outbox SET ${lease} WHERE state = 'waiting'`));
    world.advance(day);
    expect(await world.mail()).toBe(0);
    expect(await states()).toEqual(['uncertain', 'uncertain']);
    expect(server.mails).toEqual([]);
  });
});

describe('an installation without a mail server', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('sqlite');
  });
  afterEach(() => world.close());

  it('without a mail server nothing is stored for sending, and no new password is offered', async () => {
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      write.unaudited('progress');
      await notify(write, [world.people.ada], { kind: 'pin_reset' });
    });
    expect(await world.db.all('SELECT id FROM mail_outbox')).toEqual([]);
    const browser = createBrowser(world.url);
    expect((await browser.call('GET', '/app/installation')).body['mail']).toBe(false);
    const answer = await browser.call('POST', '/app/password-reset', { body: { email: 'ada@clockproof.example' } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'feature_disabled' } });
  });
});

describe('a letter', () => {
  it('a letter shows names as they are, never as markup', () => {
    const to = { name: '<b>Ada</b> & "Co"', companyName: 'Nord', language: 'en' };
    const letter = noticeLetter('pin_reset', to, 'https://time.example');
    expect(renderPlainText(letter)).toContain('Hello <b>Ada</b> & "Co",');
    expect(renderHtml(letter, 'en')).toContain('Hello &lt;b&gt;Ada&lt;/b&gt; &amp; &quot;Co&quot;,');
  });
});
