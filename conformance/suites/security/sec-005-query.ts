import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-005',
  suite: 'security',
  level: 'must',
  says: 'Repeated, unknown and coerced query parameters are refused with 400.',
  covers: [
    'Unknown members, coerced types, impossible dates, repeated parameters, NUL, duplicate members and lone surrogates are refused with 400.',
  ],
  async check(world) {
    const { api } = await world.extension();
    for (const query of [
      'limit=1&limit=2',
      'surprise=1',
      'limit=01',
      'limit=1e2',
      'active=yes',
      'active=1',
      'company_id=one',
      'limit=%00',
      'limit[]=1',
    ])
      (await api.get(`/api/v1/users?${query}`)).is(400);
  },
});
