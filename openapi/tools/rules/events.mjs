// The AsyncAPI document: neither its parser nor Redocly holds the examples of a message against the payload.

import { eventTypesOf, messagesOf } from '../events.mjs';
import { resolve, schemas, toPointerPart } from '../walk.mjs';
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

/**
 * The union of events that clients read has each type once, and each is the type of a message (in the AsyncAPI document)
 * and in the list of types (where the document has one).
 */
export function* eventTypesAgree(document) {
  const { EventType, KnownEvent } = document.components?.schemas ?? {};
  const variants = (KnownEvent?.oneOf ?? []).map((part) => resolve(document, part).properties?.type?.const);
  const sorted = (types) => [...types].sort().join(', ');
  if (document.asyncapi !== undefined && sorted(variants) !== sorted(eventTypesOf(document)))
    yield { at: '/components/schemas/KnownEvent', message: `other types than the messages: ${sorted(variants)}` };
  if (EventType !== undefined && KnownEvent !== undefined && sorted(variants) !== sorted(EventType.enum))
    yield { at: '/components/schemas/EventType', message: `other types than KnownEvent: ${sorted(EventType.enum)}` };
}

/** Class generators name an object, an enumeration or a union by its title: words without punctuation, each title once. */
export function* titlesMakeClassNames(document) {
  const titled = new Map();
  for (const { schema, pointer } of schemas(document)) {
    const makesClass = ['properties', 'enum', 'oneOf', 'anyOf'].some((keyword) => keyword in schema);
    if (!makesClass) continue;
    const { title } = schema;
    if (!/^[A-Z][A-Za-z0-9]*( [A-Za-z0-9]+)*$/.test(title ?? ''))
      yield { at: pointer, message: `needs a title of words, from which generators make a class name: ${title}` };
    else if (titled.has(title)) yield { at: pointer, message: `has the title of ${titled.get(title)}: ${title}` };
    else titled.set(title, pointer);
  }
}
