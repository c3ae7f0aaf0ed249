import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-026',
  suite: 'security',
  level: 'must',
  says: 'A key of an extension for personal links acts for nobody by user_id.',
  covers: ['An extension acts through personal links, or for everyone in one company.'],
  async check(world) {
    const person = await world.person();
    const { api } = await world.newExtension({ acting: 'personal_link', company_id: undefined });
    const answer = await api.post('/api/v1/clock/in', { user_id: person.id });
    answer.is(403, 'company_mismatch');
  },
});
