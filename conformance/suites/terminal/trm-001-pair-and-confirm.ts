import { randomBytes } from 'node:crypto';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { fingerprintOf, keyOf, Terminal } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-001',
  suite: 'terminal',
  level: 'must',
  says: 'A device pairs with the code, both sides show the same fingerprint, and after the confirmation the status says so.',
  covers: [
    'A terminal has name, location, pairing code, public key, fingerprint and a confirmation.',
    'Pairing needs a valid code and a public key; both sides show a fingerprint.',
    '/terminal/pair takes code and public key, unsigned.',
    'The fingerprint is the first ten bytes of SHA-256 of the key in base32.',
  ],
  async check(world) {
    const { id, code } = await world.addedTerminal();
    ensure(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/.test(code), `the code is shown as ${code}`);
    const seed = randomBytes(32);
    const { publicKey } = keyOf(seed);
    const client = world.stranger();
    const pairing = (await client.post('/api/v1/terminal/pair', { code, public_key: publicKey.toString('base64') })).is(
      201,
    );
    equal(pairing.get('terminal_id'), id, 'terminal_id');
    equal(pairing.get('fingerprint'), fingerprintOf(publicKey), 'fingerprint');
    equal(pairing.get('confirmed'), false, 'confirmed');
    equal((await world.fixtures.showTerminal(id)).fingerprint, fingerprintOf(publicKey), 'the fingerprint on the page');
    const terminal = new Terminal(client, id, seed);
    equal((await terminal.status()).is(200).get('confirmed'), false, 'confirmed before the confirmation');
    await world.fixtures.confirmTerminal(id, fingerprintOf(publicKey));
    const status = (await terminal.status()).is(200);
    equal(status.get('confirmed'), true, 'confirmed afterwards');
    ensure(status.string('name').startsWith('Gate'), 'the name is missing');
  },
});
