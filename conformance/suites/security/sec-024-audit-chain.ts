import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-024',
  suite: 'security',
  level: 'must',
  says: 'Entries of the audit log name actor, action and time, are protected by a code each and hold no secrets.',
  covers: ['The audit log names who, through what, what and when, is protected against changes, and holds no secrets.'],
  async check(world) {
    const extension = await world.newExtension();
    const entries = await world.fixtures.listAuditEntries({});
    ensure(entries.length > 0, 'the audit log is empty');
    for (const entry of entries) {
      for (const name of ['sequence', 'place', 'at', 'actor', 'action', 'mac'])
        ensure(at(entry, name) !== undefined, `an entry misses ${name}`);
      ensure(/^(hmac-)?sha256:[0-9a-f]{64}$/.test(String(at(entry, 'mac'))), 'a code is malformed');
    }
    equal(new Set(entries.map((entry) => at(entry, 'mac'))).size, entries.length, 'different codes');
    for (const secret of [extension.key, world.target.super_admin?.password ?? extension.key])
      ensure(!JSON.stringify(entries).includes(secret), 'the audit log contains a secret');
  },
});
