import { expect, it } from '@jest/globals';
import { PairingFailed } from '../pair.js';
import { changesBy, notGiven, pairingFailure } from './answers.js';
import type { Conditions } from './machine.js';

it('a PIN that is still required after one was sent means that the person has none', () => {
  const reply = { kind: 'refused', status: 403, code: 'pin_required', error: 'A PIN is required.', body: {} } as const;
  expect(notGiven(reply, undefined)).toEqual({ why: 'pin_required' });
  expect(notGiven(reply, '012345')).toEqual({ why: 'failed', by: 'no_pin' });
});

it('a locked PIN is locked for as long as the service says', () => {
  const reply = { kind: 'refused', status: 423, code: 'pin_locked', error: 'The PIN is locked.', body: {} } as const;
  expect(notGiven({ ...reply, retryAfter: 540_000 }, '012345')).toEqual({ why: 'pin_locked', lockedFor: 540_000 });
});

it('a new code is asked for only if the code was wrong', () => {
  expect(pairingFailure(new PairingFailed('', 'pairing_code_invalid'))).toBe('wrong');
  for (const code of ['not_found', 'feature_disabled', 'rate_limited', 'key_replaced'])
    expect(pairingFailure(new PairingFailed('', code))).toBe('refused');
  expect(pairingFailure(new PairingFailed(''))).toBe('unreachable');
});

it('a pairing that was cancelled at the door goes on when it is confirmed', () => {
  const offers = { info: false, info_without_pin: false, badge_and_pin: false, offline: false };
  const pairingAfter = (confirmed: boolean, pairing: Conditions['pairing']) => {
    const body = { confirmed, name: 'Gate', server_time: '2026-11-23T07:00:00Z', offers, offline_last_number: 0 };
    return changesBy({ kind: 'answered', body }, { pairing } as Conditions).pairing;
  };
  expect(pairingAfter(false, 'unpaired')).toBe('unpaired');
  expect(pairingAfter(true, 'unpaired')).toBe('confirmed');
  expect(pairingAfter(false, 'starting')).toBe('confirming');
});

it('a terminal whose requests are limited is not offline', () => {
  const reply = { kind: 'refused', status: 429, code: 'rate_limited', error: 'Too many.', body: {} } as const;
  expect(changesBy(reply, {} as Conditions)).toEqual({ online: true });
  expect(changesBy({ ...reply, status: 503, code: 'unavailable' }, {} as Conditions)).toMatchObject({ online: false });
  expect(notGiven(reply, undefined)).toEqual({ why: 'failed', by: 'busy' });
});

it('a terminal records nothing while terminals are switched off', () => {
  const reply = { kind: 'refused', status: 403, code: 'feature_disabled', error: 'Switched off.', body: {} } as const;
  expect(changesBy(reply, {} as Conditions)).toMatchObject({ online: true, stopped: true, recordsOffline: false });
});
