import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-030',
  suite: 'oauth',
  level: 'must',
  says: "The extension's page shows the client ID that the token endpoint takes.",
  covers: ["The extension's page shows the client ID, which the token endpoint takes."],
  async check(world) {
    const app = await world.app();
    const extension = await world.fixtures.showExtension(app.registered.id);
    equal(extension.client_id, app.registered.clientId, 'client_id');
  },
});
