// The AsyncAPI document: neither its parser nor Redocly holds the examples of a message against the payload.

import { eventTypesOf, messagesOf } from '../events.mjs';
import { toPointerPart } from '../walk.mjs';
import { schemaChecker } from './examples.mjs';

/** Every message shows examples, and they are valid by its payload and headers. */
export function* messageExamplesAreValid(document) {
  const check = schemaChecker(document);
  for (const { name, message } of messagesOf(document)) {
    const at = `/components/messages/${toPointerPart(name)}`;
    if (!message.examples?.length) yield { at, message: 'a message without an example' };
    for (const [index, example] of (message.examples ?? []).entries())
      for (const part of ['payload', 'headers']) {
        if (part === 'payload' && example.payload === undefined)
          yield { at, message: `example ${index} has no payload` };
        if (example[part] === undefined || message[part] === undefined) continue;
        for (const fault of check(`${at}/${part}`, example[part]))
          yield { at: `${at}/examples/${index}/${part}`, message: `the example does not fit its schema: ${fault}` };
      }
  }
}

/** Event types are unique, and a message that carries an event is named by its type. */
export function* eventsAreNamedByTheirType(document) {
  const types = eventTypesOf(document);
  for (const type of new Set(types.filter((each, index) => types.indexOf(each) !== index)))
    yield { at: '/components/messages', message: `two messages have the type ${type}` };
  const names = new Set(messagesOf(document).map(({ message }) => message.name));
  for (const type of types)
    if (!names.has(type))
      yield { at: '/components/messages', message: `no message is named ${type}, which is the type of one` };
}
