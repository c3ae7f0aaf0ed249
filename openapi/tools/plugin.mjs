// Our rules, as a plugin of Redocly; redocly.yaml switches them on. They run over the source files.
import { headersOfEveryAnswer } from './edge-headers.mjs';
import { refusals } from './refusals.mjs';
import { eventsNamed, eventTypesAgree, titlesMakeClasses } from './rules/events.mjs';
import { examplesValid, messageExamplesValid } from './rules/examples.mjs';
import { schemaNames } from './rules/names.mjs';
import { refusalsInVocabulary } from './rules/refusals.mjs';
import { formsFlat, requestsClosed, textsNamedOrNoted } from './rules/requests.mjs';
import {
  compositionNamed,
  cursorsPortable,
  discriminatorRequired,
  nullPortable,
  patternsPortable,
  referencesAlone,
  valuesBounded,
} from './rules/schemas.mjs';
import { scopesMatchSecurity } from './rules/scopes.mjs';
import { paragraphsWhole } from './rules/text.mjs';

const ofBoth = {
  'composition-named': compositionNamed,
  'cursors-portable': cursorsPortable,
  'discriminator-required': discriminatorRequired,
  'event-types-agree': eventTypesAgree,
  'null-portable': nullPortable,
  'patterns-portable': patternsPortable,
  'paragraphs-whole': paragraphsWhole,
  'references-alone': referencesAlone,
  'schema-names': schemaNames,
  'values-bounded': valuesBounded,
};

export default () => ({
  id: 'clockproof',
  preprocessors: { oas3: { refusals, 'headers-of-every-answer': headersOfEveryAnswer } },
  rules: {
    oas3: {
      ...ofBoth,
      'examples-valid': examplesValid,
      'forms-flat': formsFlat,
      'refusals-in-vocabulary': refusalsInVocabulary,
      'requests-closed': requestsClosed,
      'scopes-match-security': scopesMatchSecurity,
      'texts-named-or-noted': textsNamedOrNoted,
    },
    async3: {
      ...ofBoth,
      'events-named': eventsNamed,
      'message-examples-valid': messageExamplesValid,
      'titles-make-classes': titlesMakeClasses,
    },
  },
});
