import { randomBytes } from 'node:crypto';
import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import type { World } from '../../kit/world.js';
import { monthToClose } from '../support.js';

/** Base58 without the digits that could make 44 of them too large. */
const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** A transaction that no ledger has. */
export function newTransaction() {
  return {
    tx: [...randomBytes(43)].map((byte) => digits[byte % digits.length]).join(''),
    sender: `0x${randomBytes(32).toString('hex')}`,
    package: `0x${randomBytes(32).toString('hex')}`,
    chain: '6364aad5',
  };
}

/** The commitment to a month that was just closed, and a key that may report anchors of it. */
export async function closedMonth(world: World) {
  const { company, month, close } = await monthToClose(world);
  const { api } = await world.newExtension({ company_id: company, scopes: ['read:commitments', 'write:anchors'] });
  await close();
  const list = (await api.get('/api/v1/commitments')).is(200).list('data');
  equal(list.length, 1, 'commitments of a company with one closed month');
  const id = at(list[0], 'id');
  ensure(typeof id === 'number', 'a commitment has no id');
  return { month, api, commitment: list[0], anchors: `/api/v1/commitments/${id}/anchors` };
}
