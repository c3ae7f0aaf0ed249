/** Breaches of webhooks, of the event connection and of the event list. */
import type { Delivery } from '../peers/receiver.js';
import { answer, body, type Json, path, type Violation } from './violation.js';

/** Changes headers of each delivery. */
const headers =
  (change: (headers: Record<string, string | string[] | undefined>) => void): Violation['delivery'] & object =>
  (delivery) => {
    const changed = { ...delivery.headers };
    change(changed);
    return [{ ...delivery, headers: changed }];
  };
/** Changes the event of each delivery. */
const event =
  (change: (event: Json) => void): Violation['delivery'] & object =>
  (delivery) => {
    const json = JSON.parse(String(delivery.body)) as Json;
    change(json);
    return [{ ...delivery, body: Buffer.from(JSON.stringify(json)) }];
  };
const typeOf = (delivery: Delivery) => (JSON.parse(String(delivery.body)) as Json)['type'];
const message =
  (type: string, change: (message: Json) => void): Violation['message'] & object =>
  (one) => {
    if (one['type'] !== type) return [one];
    const changed = structuredClone(one);
    change(changed);
    return [changed];
  };
const eventOf = (one: Json) => one['event'] as Json;
const side = 'service';

export const deliveryViolations: readonly Violation[] = [
  {
    id: 'W01',
    breaks: 'WHK-001',
    side,
    does: 'leaves webhook-id out',
    delivery: headers((all) => {
      delete all['webhook-id'];
    }),
  },
  {
    id: 'W02',
    breaks: 'WHK-001',
    side,
    does: 'delivers with PUT',
    delivery: (delivery) => [{ ...delivery, method: 'PUT' }],
  },
  {
    id: 'W03',
    breaks: 'WHK-001',
    side,
    does: 'signs in hexadecimal',
    delivery: headers((all) => {
      const [, code = ''] = String(all['webhook-signature']).split(',');
      all['webhook-signature'] = `v1,${Buffer.from(code, 'base64').toString('hex')}`;
    }),
  },
  {
    id: 'W04',
    breaks: 'WHK-001',
    side,
    does: 'signs with another key',
    delivery: headers((all) => {
      all['webhook-signature'] = `v1,${'A'.repeat(43)}=`;
    }),
  },
  {
    id: 'W05',
    breaks: 'WHK-001',
    side,
    does: 'names another id in the event than in its header',
    delivery: headers((all) => {
      all['webhook-id'] = `evt_${'0'.repeat(22)}`;
    }),
  },
  {
    id: 'W06',
    breaks: 'WHK-001',
    side,
    does: 'sends the time of a delivery in milliseconds',
    delivery: headers((all) => {
      all['webhook-timestamp'] = `${String(all['webhook-timestamp'])}000`;
    }),
  },
  {
    id: 'W07',
    breaks: 'WHK-002',
    side,
    does: 'signs other bytes than it sends',
    delivery: (delivery) => [{ ...delivery, body: Buffer.concat([delivery.body, Buffer.from(' ')]) }],
  },
  {
    id: 'W08',
    breaks: 'WHK-003',
    side,
    does: 'gives a repeated delivery another id',
    delivery(delivery, memory) {
      const id = String(delivery.headers['webhook-id']);
      if (!memory.has(id)) {
        memory.set(id, delivery);
        return [delivery];
      }
      return [{ ...delivery, headers: { ...delivery.headers, 'webhook-id': `${id}X` } }];
    },
  },
  {
    id: 'W09',
    breaks: 'WHK-003',
    side,
    does: 'never repeats a delivery',
    delivery(delivery, memory) {
      const id = String(delivery.headers['webhook-id']);
      const again = memory.has(id);
      memory.set(id, delivery);
      return again ? [] : [delivery];
    },
  },
  {
    id: 'W10',
    breaks: 'WHK-005',
    side,
    does: 'delivers a later event first',
    delivery(delivery, memory) {
      if (typeOf(delivery) === 'clock.in') {
        memory.set('held', delivery);
        return [];
      }
      const held = memory.get('held');
      memory.delete('held');
      return held === undefined ? [delivery] : [delivery, held];
    },
  },
  {
    id: 'W11',
    breaks: 'WHK-005',
    side,
    does: 'loses the start of breaks',
    delivery: (delivery) => (typeOf(delivery) === 'clock.break_start' ? [] : [delivery]),
  },
  {
    id: 'W12',
    breaks: 'WHK-006',
    side,
    does: 'does not say what of an absence changed',
    delivery: event((one) => {
      delete one['changed'];
    }),
  },
  {
    id: 'W13',
    breaks: 'WHK-006',
    side,
    does: 'delivers events about absences without the record',
    delivery: event((one) => {
      one['data'] = {};
    }),
  },
  {
    id: 'W14',
    breaks: 'WHK-006',
    side,
    does: 'calls a withdrawn absence cancelled',
    delivery: event((one) => {
      if (one['type'] === 'leave.withdrawn') one['type'] = 'leave.cancelled';
    }),
  },
  {
    id: 'W15',
    breaks: 'WHK-007',
    side,
    does: 'keeps delivering to an endpoint that is gone',
    reply: answer(/GET .*\/extensions\/ext_\w+$/, 200, (json) => {
      const extension = (json['extension'] ?? json) as Json;
      Object.assign((extension['delivery'] ?? {}) as object, { state: 'active' });
    }),
  },
  {
    id: 'W16',
    breaks: 'WHK-008',
    side,
    does: 'delivers what an extension may not read',
    request: body(/POST .*\/extensions$/, (json) => {
      if (String(json['scopes']) === 'read:users')
        json['scopes'] = ['read:users', 'read:clock_states', 'read:time_entries'];
    }),
  },
  {
    id: 'W17',
    breaks: 'WHK-009',
    side,
    does: 'signs with the new secret only',
    delivery: headers((all) => {
      all['webhook-signature'] = String(all['webhook-signature']).split(' ')[0];
    }),
  },
  {
    id: 'W18',
    breaks: 'WHK-011',
    side,
    does: 'does not deliver again what was asked for',
    delivery(delivery, memory) {
      const id = String(delivery.headers['webhook-id']);
      const again = memory.has(id);
      memory.set(id, delivery);
      return again ? [] : [delivery];
    },
  },
  {
    id: 'W19',
    breaks: 'WHK-012',
    side,
    does: 'sends an event for an operation that was refused',
    delivery: (delivery) =>
      typeOf(delivery) === 'clock.in'
        ? [delivery, { ...delivery, headers: { ...delivery.headers, 'webhook-id': `evt_${'f'.repeat(22)}` } }]
        : [delivery],
  },
  {
    id: 'W20',
    breaks: 'WHK-013',
    side,
    does: 'delivers types that were not chosen',
    request: body(/POST .*\/extensions$/, (json) => {
      delete json['event_types'];
    }),
  },
  {
    id: 'W21',
    breaks: 'WHK-014',
    side,
    does: 'delivers nothing again after a recovery',
    delivery(delivery, memory) {
      const id = String(delivery.headers['webhook-id']);
      const again = memory.has(id);
      memory.set(id, delivery);
      return again ? [] : [delivery];
    },
  },
  {
    id: 'K01',
    breaks: 'SOC-001',
    side,
    does: 'says no hello',
    message: (one) => (one['type'] === 'hello' ? [] : [one]),
  },
  {
    id: 'K02',
    breaks: 'SOC-001',
    side,
    does: 'says hello without the id of the connection',
    message: message('hello', (one) => {
      delete one['connection_id'];
    }),
  },
  {
    id: 'K03',
    breaks: 'SOC-001',
    side,
    does: 'tells its heartbeat as text',
    message: message('hello', (one) => {
      one['heartbeat_s'] = '30s';
    }),
  },
  {
    id: 'K04',
    breaks: 'SOC-002',
    side,
    does: 'sends events without an envelope',
    message: message('event', (one) => {
      delete one['envelope_id'];
    }),
  },
  {
    id: 'K05',
    breaks: 'SOC-002',
    side,
    does: 'names another id over the connection than in the list',
    message: message('event', (one) => {
      eventOf(one)['id'] = `evt_${'0'.repeat(22)}`;
    }),
  },
  {
    id: 'K06',
    breaks: 'SOC-002',
    side,
    does: 'sends no events over the connection',
    message: (one) => (one['type'] === 'event' ? [] : [one]),
  },
  {
    id: 'K07',
    breaks: 'SOC-003',
    side,
    does: 'loses the first event of a replay',
    message(one, memory) {
      if (one['type'] !== 'event' || memory.has('first')) return [one];
      memory.set('first', one);
      return [];
    },
  },
  {
    id: 'K08',
    breaks: 'SOC-003',
    side,
    does: 'gives every message the same sequence',
    message: message('event', (one) => {
      eventOf(one)['sequence'] = 1;
    }),
  },
  { id: 'K09', breaks: 'SOC-006', side, does: 'closes with 1000 when the key is gone', closes: () => 1_000 },
  {
    id: 'K10',
    breaks: 'SOC-006',
    side,
    does: 'leaves the connection of a key open that is gone',
    closes: () => undefined,
  },
  { id: 'K11', breaks: 'SOC-007', side, does: 'closes with 1000 when the mode changes', closes: () => 1_000 },
  { id: 'K12', breaks: 'SOC-008', side, does: 'closes the oldest connection with 1001', closes: () => 1_001 },
  { id: 'K13', breaks: 'SOC-008', side, does: 'allows a sixth connection', closes: () => undefined },
  {
    id: 'K14',
    breaks: 'EVT-003',
    side,
    does: 'does not wait for the next event',
    request: path(/GET .*\/events$/, (whole) => whole.replace(/([?&])wait=\d+/, '$1')),
  },
  {
    id: 'K16',
    breaks: 'SOC-005',
    side,
    slow: true,
    does: 'sends what was not acknowledged in another envelope',
    message(one, memory) {
      const envelope = String(one['envelope_id']);
      if (one['type'] !== 'event' || !memory.has(envelope)) {
        memory.set(envelope, one);
        return [one];
      }
      return [{ ...one, envelope_id: `${envelope}X` }];
    },
  },
];
