// Our own rules over a bundled document.
import { refusalsSpeakTheVocabulary } from './rules/errors.mjs';
import {
  eventsAreNamedByTheirType,
  eventTypesAgree,
  messageExamplesAreValid,
  titlesMakeClassNames,
} from './rules/events.mjs';
import { bodiesHaveExamples, examplesAreValid, requestsHaveExamples } from './rules/examples.mjs';
import {
  answersCarryTheirHeaders,
  commonRefusalsAreListed,
  operationsAreDescribed,
  requestsAreClosed,
} from './rules/operations.mjs';
import {
  documentIsPortable,
  schemaNamesAreFree,
  schemasArePortable,
  textIsGenerable,
  textsAreNamesOrNotes,
  valuesAreBounded,
} from './rules/profile.mjs';
import { scopesAgreeWithSecurity } from './rules/scopes.mjs';
import { paragraphsStayWhole } from './rules/text.mjs';

const openApiRules = [
  operationsAreDescribed,
  answersCarryTheirHeaders,
  commonRefusalsAreListed,
  requestsAreClosed,
  bodiesHaveExamples,
  examplesAreValid,
  refusalsSpeakTheVocabulary,
  scopesAgreeWithSecurity,
  documentIsPortable,
  schemaNamesAreFree,
  schemasArePortable,
  textIsGenerable,
  valuesAreBounded,
  textsAreNamesOrNotes,
  paragraphsStayWhole,
  eventTypesAgree,
];
const eventRules = [
  messageExamplesAreValid,
  eventsAreNamedByTheirType,
  eventTypesAgree,
  titlesMakeClassNames,
  schemaNamesAreFree,
  schemasArePortable,
  textIsGenerable,
  valuesAreBounded,
  paragraphsStayWhole,
];

const judge = (rules) => (document, vocabulary) =>
  rules.flatMap((rule) => [...rule(document, vocabulary)].map((finding) => ({ ...finding, rule: rule.name })));

/** @returns findings `{ at, message, rule }` about an OpenAPI document */
export const judgeOpenApi = judge(openApiRules);
/** The same about the document of the pages, which nobody else reads: its answers need no examples. */
export const judgePages = judge(
  openApiRules.map((rule) => (rule === bodiesHaveExamples ? requestsHaveExamples : rule)),
);
/** @returns findings about an AsyncAPI document */
export const judgeEvents = judge(eventRules);
