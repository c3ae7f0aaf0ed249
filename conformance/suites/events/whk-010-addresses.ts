import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'WHK-010',
  suite: 'events',
  level: 'must',
  says: 'A webhook address must be https to a public host, or private only where that is allowed; user names and fragments are refused.',
  covers: ['Private webhook targets are refused unless allowed.'],
  async check(world) {
    const admin = await world.admin();
    const company = await world.company();
    const scopes = ['read:clock_states'];
    const make = (webhook_url: string) =>
      admin.post('/app/admin/extensions', {
        name: 'Kit target',
        mode: 'webhooks',
        scopes,
        acting: 'everyone',
        company_id: company.id,
        webhook_url,
      });
    for (const bad of [
      'ftp://a.example/',
      'https://user:secret@a.example/',
      'https://a.example/#x',
      'https://224.0.0.1/',
      'https://[ff02::1]/',
      'https://0.0.0.0/',
      'nonsense',
    ]) {
      const answer = await make(bad);
      if (answer.status === 201) await admin.delete(`/app/admin/extensions/${answer.string('extension.id')}`);
      ensure(answer.status === 422 || answer.status === 400, `${bad} was answered with ${answer.status}`);
    }
  },
});
