import { randomBytes } from 'node:crypto';
import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import type { World } from '../../kit/world.js';
import { monthToClose } from '../support.js';

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** @param bytes the first of which is not 0 */
function base58(bytes: Uint8Array): string {
  let text = '';
  for (let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`); value > 0n; value /= 58n)
    text = digits[Number(value % 58n)]! + text;
  return text;
}

/** A transaction that no ledger has. */
export function newTransaction() {
  return {
    tx: base58(Uint8Array.of(1, ...randomBytes(31))),
    sender: `0x${randomBytes(32).toString('hex')}`,
    package: `0x${randomBytes(32).toString('hex')}`,
    chain: '6364aad5',
  };
}

/** The commitment to a month that was just closed, and a key that may report anchors of it. */
export async function closedMonth(world: World) {
  const { company, person, month, close } = await monthToClose(world);
  const { api } = await world.newExtension({ company_id: company, scopes: ['read:commitments', 'write:anchors'] });
  await close();
  const list = (await api.get('/api/v1/commitments')).is(200).list('data');
  equal(list.length, 1, 'commitments of a company with one closed month');
  const id = at(list[0], 'id');
  ensure(typeof id === 'number', 'a commitment has no id');
  const path = `/api/v1/commitments/${id}`;
  return { company, person, month, api, commitment: list[0], anchors: `${path}/anchors`, claims: `${path}/claims` };
}
