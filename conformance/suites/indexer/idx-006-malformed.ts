import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-006',
  suite: 'indexer',
  level: 'must',
  says: 'Malformed digests and roots are refused with 400.',
  covers: ['Roots are compared as bytes: any case, optional 0x; malformed digests and roots are 400.'],
  async check(world) {
    const proof = world.target.proofs?.[0];
    const tx = proof?.tx ?? 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG';
    for (const root of [
      '',
      'ab',
      '0'.repeat(63),
      '0'.repeat(65),
      'g'.repeat(64),
      `0x0x${'0'.repeat(64)}`,
      `${'0'.repeat(64)}&root=${'1'.repeat(64)}`,
    ])
      (await world.indexer.get(`/api/v1/verify/${tx}?root=${root}`)).is(400, 'invalid_request');
    // nginx refuses the last with a page of its own.
    for (const digest of ['0'.repeat(44), 'abc', 'l'.repeat(43), 'z'.repeat(44), `${tx}11`, '%00'.repeat(10)])
      (await world.indexer.get(`/api/v1/verify/${digest}`)).is(400, 'invalid_request');
  },
});
