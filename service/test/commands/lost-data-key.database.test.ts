/** DATA_KEY is gone: what `data-key replace --lost` gives up, what stays, and how people and admins go on. */
import { createHash } from 'node:crypto';
import { silentLog } from '@clockproof/platform/log';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { addExtension } from '../../src/access/integrations/extensions.js';
import { oneTimePassword, stepAt } from '../../src/access/second-factor/totp.js';
import { resetPerson } from '../../src/commands/admin.js';
import { headLine, runVerify } from '../../src/commands/verify.js';
import { purgeExpired } from '../../src/housekeeping.js';
import { replaceDataKey } from '../../src/hr/replace-data-key.js';
import type { Service } from '../../src/service.js';
import { noteSigning, sealAll } from '../../src/store/seal.js';
import { createDataKey, signWith } from '../../src/store/sealing/data-key.js';
import { belongsTo, makeKeys, readDataKey } from '../../src/store/sealing/data-keys.js';
import { createSealingKeys } from '../../src/store/sealing/sealing-keys.js';
import { createStore } from '../../src/store/write.js';
import { hashPin, setPin } from '../../src/terminals/badges/pin.js';
import {
  addSuperAdmin,
  createBrowser,
  factorKeysOf,
  fromBase32,
  giveCredentials,
  password,
  signIn,
} from '../browser.js';
import { type Door, doorOf, type HeldCard, issueBadge, openDoor } from '../door.js';
import { createWorld, dataKey, minute, type World } from '../world.js';

const system = { kind: 'system' } as const;
const newKey = createHash('sha256').update('another data key').digest();

describe.each(dialects)('a lost DATA_KEY on %s', (dialect) => {
  let world: World;
  let root: number;
  let door: Door;
  let badge: HeldCard;
  let hooks: string;
  let oldBrowser: Awaited<ReturnType<typeof signIn>>;
  let heads: string;
  const ada = () => world.people.ada;
  const ben = () => world.people.ben;
  const cem = () => world.people.cem;

  /** As the command replaces it. */
  const replace = (preview = false, key = newKey, target = world) => {
    const keys = makeKeys(key, target.randomBytes);
    return replaceDataKey(createStore(target.db, { sign: signWith(keys.dataKey), randomBytes: target.randomBytes }), {
      key,
      keys,
      sealingKeys: createSealingKeys(keys.dataKey, target.service.installationSecret, target.randomBytes),
      randomBytes: target.randomBytes,
      at: target.now(),
      preview,
    });
  };
  const signingWith = async (key: Uint8Array) =>
    signWith(
      (await belongsTo(world.db, key, world.randomBytes)) === 'this'
        ? (await readDataKey(world.db, key, world.randomBytes))!
        : createDataKey(key, world.randomBytes),
    );
  const verify = async (key = newKey, options = {}) =>
    runVerify(world.db, { sign: await signingWith(key), ...options });
  const entries = (action: string) =>
    world.db.all<{ subject: string; details: string | null }>(
      'SELECT subject, details FROM audit_entries WHERE action = :action ORDER BY sequence',
      { action },
    );
  const noticesOf = async (person: number) =>
    (
      await world.db.all<{ kind: string }>('SELECT kind FROM notices WHERE person_id = :person ORDER BY id', { person })
    ).map(({ kind }) => kind);

  const furnish = async () => {
    world = await createWorld(dialect);
    await noteSigning(world.service.store, world.now());
    root = await addSuperAdmin(world);
    await giveCredentials(world, [ada(), ben()], await factorKeysOf(world, dataKey));
    // Set up before there was a DATA_KEY.
    await giveCredentials(world, [cem()], await factorKeysOf(world));
    await world.db.write((tx) =>
      tx.run(
        "INSERT INTO passkeys (id, person_id, credential_id, public_key, counter, transports, name, created_at) VALUES ('psk_ben', :ben, 'credential', :nothing, 0, '[]', 'Phone', 1)",
        { ben: ben(), nothing: new Uint8Array(1) },
      ),
    );
    oldBrowser = await signIn(world, ada());
    door = await openDoor(world, 'gate');
    badge = await issueBadge(world, door, ada(), '04a1a2a3a4a5a6');
    const pin = await hashPin(world.service.dataKey!, ada(), '135790');
    hooks = await world.write(async (write) => {
      await setPin(write, ada(), world.nord, pin);
      const { sealingKeys } = world.service;
      const extension = await addExtension(
        write,
        { sealingKeys, randomBytes: world.randomBytes, allowPrivateTargets: false },
        {
          name: 'Hooks',
          mode: 'webhooks',
          acting: 'everyone',
          companyId: world.nord,
          scopes: ['read:clock_states'],
          webhookUrl: 'https://hooks.example/in',
        } as never,
      );
      return extension.id;
    });
    await sealAll(world.service.store, () => world.now());
    heads = `${await headLine(world.db, world.now(), world.service.store.sign)}\n`;
  };

  describe('the preview of a replacement', () => {
    beforeAll(furnish);
    afterAll(() => world.close());

    it('nothing is given up with the right DATA_KEY, or if the database never had one', async () => {
      expect(await replace(false, dataKey)).toEqual({
        exitCode: 1,
        text: 'DATA_KEY is the key of this database: nothing is lost',
      });
      const unsealedWorld = await createWorld(dialect, { env: { DATA_KEY: '' } });
      expect(await replace(false, newKey, unsealedWorld)).toMatchObject({
        exitCode: 1,
        text: expect.stringMatching(/^this database was never sealed/),
      });
      await unsealedWorld.close();
    });

    it('the preview says what would be given up, and changes nothing', async () => {
      const before = (await verify(dataKey)).text;
      const { exitCode, text } = await replace(true);
      expect(exitCode).toBe(0);
      expect(text).toMatch(
        /^DATA_KEY would be replaced.*nothing has been changed:\n {2}second factors of 3 people.*\n {2}PINs of 1 people.*\n {2}1 badges and the card keys of 1 companies.*\n {2}webhook secrets of 1 extensions/,
      );
      expect((await verify(dataKey)).text).toBe(before);
      expect((await verify(newKey)).exitCode).toBe(1);
    });
  });

  describe('the replacement', () => {
    let service: Service;
    /** Of Ada, Ben, Cem and the super admin, before the tests. */
    let notices: readonly (readonly string[])[];
    beforeAll(async () => {
      await furnish();
      await world.db.write((tx) =>
        tx.run(
          `INSERT INTO identity_providers
            (company_id, enabled, address, issuer, client_id, secret_sealed, secret_sealed_by, role_values, creates_people, trusts_auth_time)
           VALUES (:nord, 1, 'nord', 'https://login.example', 'clockproof', :sealed, 'data_key', '[]', 0, 0)`,
          { nord: world.nord, sealed: Buffer.from([1, 2, 3]) },
        ),
      );
      await expect(world.replica({ DATA_KEY: newKey.toString('base64') })).rejects.toThrow('not the key');
      // The service has to be stopped before. This one stays for its database, and seals nothing with the lost key.
      jest.spyOn(world.service.store, 'runMaintenance').mockRejectedValue(new Error('stopped'));
      expect(await replace()).toMatchObject({ exitCode: 0, text: expect.stringMatching(/^DATA_KEY is replaced/) });
      notices = await Promise.all([ada(), ben(), cem(), root].map(noticesOf));
      service = await world.replica({ DATA_KEY: newKey.toString('base64') });
    });
    afterAll(() => world.close());

    it('the service starts with the new DATA_KEY, and no longer with the lost one', async () => {
      await expect(world.replica()).rejects.toThrow('not the key');
      expect(await replace()).toMatchObject({ exitCode: 1 });
    });

    it('a company signs in by password until the client secret is entered again', async () => {
      expect(await world.db.all('SELECT enabled, secret_sealed FROM identity_providers')).toEqual([
        { enabled: 0, secret_sealed: null },
      ]);
      expect(JSON.parse((await entries('company.sign_in_set'))[0]!.details!)).toEqual({
        enabled: false,
        because: 'data_key_lost',
      });
    });

    it('each piece is in the audit log, and its people get a notice', async () => {
      expect(JSON.parse((await entries('audit.key_replaced'))[0]!.details!)).toEqual({
        second_factors: 3,
        pins: 1,
        badges: 1,
        card_keys: 1,
        webhook_secrets: 1,
        identity_providers: 1,
        head: heads.split(' ')[0],
      });
      const reason = { because: 'data_key_lost' };
      // An admin may have reset somebody since.
      const removals = await entries('second_factor.removed');
      expect(removals.filter(({ details }) => details !== null)).toEqual(
        [root, ada(), ben()]
          .sort((a, b) => a - b)
          .map((person) => ({ subject: `person ${person}`, details: JSON.stringify(reason) })),
      );
      expect(await entries('pin.reset')).toEqual([{ subject: `person ${ada()}`, details: JSON.stringify(reason) }]);
      expect(await entries('badge.returned')).toEqual([
        { subject: expect.stringMatching(/^badge /), details: JSON.stringify({ person: ada(), ...reason }) },
      ]);
      expect(await entries('extension.webhooks_disabled')).toEqual([
        { subject: `extension ${hooks}`, details: JSON.stringify({ why: 'key_lost' }) },
      ]);
      expect(notices).toEqual([
        ['access_changed', 'pin_reset'],
        ['access_changed'],
        [],
        ['access_changed', 'webhooks_disabled'],
      ]);
    });

    it('the log is intact with the new DATA_KEY, and says from where on', async () => {
      const [{ sequence }] = (await world.db.all<{ sequence: number }>(
        "SELECT sequence FROM audit_entries WHERE action = 'audit.key_replaced'",
      )) as [{ sequence: number }];
      const sentence = `DATA_KEY was lost and replaced: signatures before entry ${sequence} cannot be checked; that entry vouches for the log as it was then`;
      const result = await verify(newKey, { heads });
      expect(result).toEqual({ exitCode: 0, text: expect.stringContaining(sentence) });
      expect(await verify(newKey, { heads: heads.replace(/:.{8}/, ':00000000') })).toMatchObject({ exitCode: 1 });
      expect((await verify(dataKey)).text).toContain(`entry ${sequence} was altered`);
    });

    it.each([false, true])(
      'a later change of an earlier log entry is detected (heads made to fit: %s)',
      async (hasFittedHeads) => {
        const undo = new Error('undo');
        let text = '';
        const sign = await signingWith(newKey);
        await world.db
          .write(async (tx) => {
            for (const table of ['audit_entries', 'audit_heads'])
              for (const statement of dialect === 'sqlite'
                ? [`DROP TRIGGER ${table}_no_update`, `DROP TRIGGER ${table}_no_delete`]
                : [`ALTER TABLE ${table} DISABLE TRIGGER ALL`])
                await tx.run(statement);
            const [, secondEntry] = await tx.all<{ sequence: number }>(
              'SELECT sequence FROM audit_entries ORDER BY sequence',
            );
            await tx.run('UPDATE audit_entries SET at = at + 1 WHERE sequence = :sequence', { ...secondEntry });
            if (hasFittedHeads) {
              await tx.run('DELETE FROM audit_heads');
              const innerStore = createStore({ ...world.db, all: tx.all, get: tx.get, write: (effect) => effect(tx) });
              await sealAll(innerStore, () => world.now());
            }
            ({ text } = await runVerify(tx, { sign }));
            throw undo;
          })
          .catch((error: unknown) => {
            if (error !== undo) throw error;
          });
        expect(text).toMatch(/^audit log NOT intact: /m);
      },
    );

    it('people continue with a passkey, or with a new link and a new second factor', async () => {
      expect((await oldBrowser.call('GET', '/app/session')).status).toBe(401);
      const browser = createBrowser(service.url);
      const signInAs = async (name: string) =>
        (await browser.call('POST', '/app/sign-in', { body: { email: `${name}@clockproof.example`, password } })).body;
      expect(await signInAs('ben')).toEqual({ next: 'second_factor' });
      // The password alone is not enough for another second factor.
      expect(await signInAs('rhea')).toMatchObject({ code: 'credentials_invalid' });
      expect((await browser.call('GET', '/app/installation')).body['set_up_needed']).toBe(false);
      const output = await service.store.write({ actor: system, at: world.now() }, (write) =>
        resetPerson(write, 'rhea@clockproof.example', {
          baseUrl: service.url,
          randomBytes: world.randomBytes,
          keys: service.sealingKeys,
        }),
      );
      const acceptance = await browser.call('POST', '/app/invitation/accept', {
        body: { token: output.split('#')[1]!, password: 'eleven brave herons dive' },
      });
      expect(acceptance.body).toEqual({ next: 'enrol' });
      const { secret } = (await browser.call('POST', '/app/second-factor/enrolment')).body as { secret: string };
      const confirmation = await browser.call('POST', '/app/second-factor/confirmation', {
        body: { code: oneTimePassword(fromBase32(secret), stepAt(world.now())) },
      });
      expect(confirmation).toMatchObject({ status: 200 });
      expect(confirmation.body['recovery_codes']).toHaveLength(10);
      const extension = await browser.call('GET', `/app/admin/extensions/${hooks}`);
      expect(extension.body).toMatchObject({ delivery: { state: 'disabled', disabled_because: 'key_lost' } });
      const rotation = await browser.call('POST', `/app/admin/extensions/${hooks}/webhook-secret`);
      expect(rotation).toMatchObject({ status: 201, body: { webhook_secret: expect.stringMatching(/^whsec_/) } });
    });

    it('an old badge is refused after a lost DATA_KEY, and a new card is issued', async () => {
      // The device of these tests counts its requests from one again: used nonces have to be purged.
      world.advance(5 * minute);
      await purgeExpired(service.store, world.now(), silentLog);
      const newWorld = { ...world, url: service.url, service };
      const sameDoor = doorOf(newWorld, door.terminalId, 'gate');
      expect((await sameDoor.hold(badge)).body).toMatchObject({ code: 'card_refused' });
      const newBadge = await issueBadge(newWorld, sameDoor, ada(), '04b1b2b3b4b5b6');
      expect((await sameDoor.hold(newBadge)).body).toMatchObject({ result: 'proved' });
    });
  });
});
