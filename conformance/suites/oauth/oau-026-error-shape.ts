import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-026',
  suite: 'oauth',
  level: 'must',
  says: 'Errors of /oauth follow RFC 6749: error, error_description and code equal to error.',
  covers: ['Errors carry error and code.'],
  async check(world) {
    const app = await world.app();
    const cases: readonly (readonly [Record<string, string> | string, string])[] = [
      [{ grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
      [{ grant_type: 'refresh_token', refresh_token: 'cpr_unknown' }, 'invalid_grant'],
      [{ grant_type: 'authorization_code' }, 'invalid_request'],
      ['grant_type=refresh_token&grant_type=refresh_token&refresh_token=x', 'invalid_request'],
    ];
    for (const [form, error] of cases) {
      const answer = (await app.token(form)).is(400);
      equal(answer.get('error'), error, `error for ${JSON.stringify(form)}`);
      equal(answer.get('code'), error, 'code');
      ensure(answer.string('error_description').length > 0, 'error_description is empty');
    }
  },
});
