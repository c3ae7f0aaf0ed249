import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-003',
  suite: 'security',
  level: 'must',
  says: 'Unknown and duplicate members, NUL, lone surrogates, invalid UTF-8, another root than an object and deep nesting are refused with 400.',
  covers: ['Bodies are UTF-8, at most 256 KiB (413), at most 20 levels deep, an object at the root.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const id = String(person.id);
    const bodies: (string | Buffer)[] = [
      `{"user_id":${id},"surprise":true}`,
      `{"user_id":${id},"user_id":${id}}`,
      `{"user_id":${id},"x":"\\u0000"}`,
      `[${id}]`,
      id,
      'null',
      '"text"',
      `{"user_id":${id}`,
      `{"user_id":${id}}}`,
      `{'user_id':${id}}`,
      `{"user_id":${id},}`,
      `{"user_id":NaN}`,
      `${'{"a":'.repeat(25)}1${'}'.repeat(25)}`,
      Buffer.concat([Buffer.from('{"user_id":1,"x":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    ];
    for (const body of bodies)
      (
        await api.post('/api/v1/clock/in', undefined, { raw: body, headers: { 'content-type': 'application/json' } })
      ).is(400, 'invalid_request');
    const { monday } = world.week();
    for (const comment of ['"a\\u0000b"', '"\\ud800"'])
      (
        await api.post('/api/v1/absences', undefined, {
          raw: `{"user_id":${id},"type":"vacation","start_date":"${monday}","end_date":"${monday}","comment":${comment}}`,
          headers: { 'content-type': 'application/json' },
        })
      ).is(400, 'invalid_request');
    equal(
      (await api.get(`/api/v1/clock/states?user_id=${id}`)).get('data.0.state') ?? 'out',
      'out',
      'the clock state afterwards',
    );
  },
});
