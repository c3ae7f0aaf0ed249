import { randomBytes } from 'node:crypto';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { bodyOf, fill, queryOf, security } from '../../kit/statuses.js';
import { linkScopes, pause } from '../../kit/world.js';
import { keyOf, Terminal } from '../../peers/terminal.js';

export default requirement({
  id: 'CON-019',
  suite: 'contract',
  level: 'must',
  says: 'Every operation refuses credentials that are revoked, expired, of a deactivated company or wrongly signed with the code it documents.',
  waits: true,
  limit: 90,
  async check(world) {
    const documentedPairs = new Set(world.contract.documentedCodes());
    const faults: string[] = [];
    const operationsWith = (status: number, code: string) =>
      world.contract.operations
        .filter(({ id }) => documentedPairs.has(`${id} ${status} ${code}`))
        .map((operation) => ({
          operation,
          path: fill(operation.path) + queryOf(operation),
          body: bodyOf(operation),
        }));
    // A client of its own for each: failed authentications are counted by address.
    const refuse = async (kind: 'apiKey' | 'personalLink', token: string, status: number, code: string) => {
      for (const { operation, path, body } of operationsWith(status, code)) {
        if (!security(operation).includes(kind)) continue;
        const answer = await world.bearer(token).call(operation.method, path, body === undefined ? {} : { json: body });
        if (answer.get('code') !== code) faults.push(`${operation.id} ${answer.status} instead of ${code}`);
      }
    };
    const clockOffset = await world.ahead();
    const expires = new Date(Date.now() + clockOffset + 5_000).toISOString();
    const expiringExtension = await world.newExtension({ expires_at: expires });
    const rotatedExtension = await world.newExtension();
    await world.fixtures.rotateKey(rotatedExtension.id);
    await world.fixtures.endOldKey(rotatedExtension.id);
    await refuse('apiKey', rotatedExtension.key, 401, 'token_revoked');
    const company = await world.newCompany('Asleep');
    const inactiveExtension = await world.newExtension({ company_id: company.id });
    await world.fixtures.setCompanyActive(company.id, false);
    await refuse('apiKey', inactiveExtension.key, 403, 'company_inactive');
    const app = await world.app();
    const { session } = await world.signedIn();
    const { access } = await app.link(session, linkScopes);
    await refuse('apiKey', access, 403, 'wrong_credential_kind');
    (await app.revoke(access)).is(200);
    await refuse('personalLink', access, 401, 'token_revoked');
    await pause(Math.max(0, Date.parse(expires) - clockOffset - Date.now()) + 1_000);
    await refuse('apiKey', expiringExtension.key, 401, 'token_expired');

    const confirmedTerminal = await world.newTerminal();
    const newTerminal = await world.addedTerminal();
    const seed = randomBytes(32);
    const key = keyOf(seed).publicKey.toString('base64');
    (await world.stranger().post('/api/v1/terminal/pair', { code: newTerminal.code, public_key: key })).is(201);
    const oldTime = String(Math.floor((Date.now() + clockOffset) / 1_000) - 3_600);
    const refusals = {
      signature_invalid: [401, () => new Terminal(world.stranger(), confirmedTerminal.id, randomBytes(32)), {}],
      signature_time: [
        401,
        () => new Terminal(world.stranger(), confirmedTerminal.id, confirmedTerminal.seed),
        { time: oldTime },
      ],
      terminal_not_confirmed: [403, () => new Terminal(world.stranger(), newTerminal.id, seed), {}],
    } as const;
    for (const [code, [status, terminalOf, signing]] of Object.entries(refusals))
      for (const { operation, path, body } of operationsWith(status, code)) {
        const answer = await terminalOf().send(operation.method, path, body, signing);
        if (answer.get('code') !== code) faults.push(`${operation.id} ${answer.status} instead of ${code}`);
      }
    for (const { operation, path, body } of operationsWith(401, 'nonce_reused')) {
      const terminal = new Terminal(world.stranger(), confirmedTerminal.id, confirmedTerminal.seed);
      const request = terminal.signRequest(operation.method, path, body);
      await terminal.transmit(request);
      const answer = await terminal.transmit(request);
      if (answer.get('code') !== 'nonce_reused')
        faults.push(`${operation.id} ${answer.status} instead of nonce_reused`);
    }
    ensure(faults.length === 0, faults.join('; '));
  },
});
