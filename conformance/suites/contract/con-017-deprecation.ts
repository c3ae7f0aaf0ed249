import { ensure, NotApplicable } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-017',
  suite: 'contract',
  level: 'must',
  says: 'Operations that the documents call deprecated document the headers Deprecation and Sunset.',
  covers: ['Answers of deprecated operations carry the headers Deprecation and Sunset, for twelve months.'],
  async check(world) {
    const deprecatedOperations = world.contract.operations.filter(
      ({ definition }) => definition['deprecated'] === true,
    );
    if (deprecatedOperations.length === 0) throw new NotApplicable('no operation is deprecated');
    for (const { document, id, definition } of deprecatedOperations) {
      const answers = Object.values(definition['responses'] as object).map((response) =>
        world.contract.schema(document, response),
      );
      const names = answers.flatMap(({ headers }) => Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
      for (const name of ['deprecation', 'sunset']) ensure(names.includes(name), `${id} documents no header ${name}`);
    }
  },
});
