import { describe, expect, it } from '@jest/globals';
import { createPasswords, createQueue, passwordCost, refuseWeakPassword } from './password.js';

describe('passwords', () => {
  it('passwords are hashed with argon2id above the parameters of OWASP, which the hash contains', async () => {
    expect(passwordCost.memoryKiB).toBeGreaterThanOrEqual(19 * 1024);
    expect(passwordCost.passes).toBeGreaterThanOrEqual(2);
    const passwords = createPasswords();
    const hash = await passwords.hash('correct horse battery');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect([
      await passwords.verify(hash, 'correct horse battery'),
      await passwords.verify(hash, 'correct horse batterz'),
      passwords.isOutdated(hash),
    ]).toEqual([true, false, false]);
    expect(createPasswords({ memoryKiB: 131_072, passes: 3, lanes: 4 }).isOutdated(hash)).toBe(true);
  });

  it('a missing password matches nothing, although a hash is computed', async () => {
    const passwords = createPasswords({ memoryKiB: 8_192, passes: 1, lanes: 1 });
    for (const hash of [undefined, null]) expect(await passwords.verify(hash, 'correct horse battery')).toBe(false);
  });

  it.each([
    'short',
    'elevenchars',
    'password1234',
    'P@ssw0rd1234',
    'Passwort2026!',
    'qwertyuiop12',
    'aaaaaaaaaaaaaaaa',
    '123456789012',
    'abcdefghijklmnop',
    'abcabcabcabcabc',
    'AdaLang-2026!!',
    'clockproof2026',
    'Nordlicht1234',
    'iloveyou!!!!',
    'x'.repeat(257),
    'Sommer2026!Sommer',
    'correcthorsebatterystaple',
  ])('a password that programs guess first is refused: %s', (password) => {
    expect(() =>
      refuseWeakPassword(password, ['Ada', 'Lang', 'Nordlicht Logistik GmbH', 'ada@clockproof.example']),
    ).toThrow('password_refused');
  });

  it.each([
    'correct horse battery',
    'nine tame otters swim',
    'vT9#kq2Lw!zR',
    'Regenschirm auf Mallorca',
    'ÄÖÜ sind auch Zeichen',
  ])('a password may be %s', (password) => {
    expect(() => refuseWeakPassword(password, ['Ada', 'Lang'])).not.toThrow();
  });
});

describe('the queue of hashes', () => {
  it('the queue of hashes runs two at once, lets fifty wait and refuses the rest', async () => {
    const enqueue = createQueue(2, 50);
    let [runningCount, maxRunning] = [0, 0];
    const order: number[] = [];
    const release: (() => void)[] = [];
    const tries = Array.from({ length: 60 }, (_, index) =>
      enqueue(async () => {
        maxRunning = Math.max(maxRunning, ++runningCount);
        order.push(index);
        await new Promise<void>((resolve) => release.push(resolve));
        runningCount--;
      }).then(
        () => 'done',
        (error: { code: string }) => error.code,
      ),
    );
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    for (let step = 0; step < 60; step++) {
      await nextTurn();
      release.shift()?.();
    }
    const outcomes = await Promise.all(tries);
    expect([
      outcomes.filter((outcome) => outcome === 'done').length,
      outcomes.filter((outcome) => outcome === 'rate_limited').length,
      maxRunning,
    ]).toEqual([52, 8, 2]);
    expect(order).toEqual(Array.from({ length: 52 }, (_, index) => index));
    await expect(
      enqueue(async () => {
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
    expect(await enqueue(async () => 'free again')).toBe('free again');
  });
});
