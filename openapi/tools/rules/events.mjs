// The event feeds of the AsyncAPI document, and the events among the schemas.
import { collectComponents, follow } from './place.mjs';

/** A member of an object, also where the object is put together with allOf. */
function member(resolve, schema, at, name) {
  const { node, location } = follow(resolve, schema, at);
  const property = node?.properties?.[name];
  if (property !== undefined) return follow(resolve, property, location).node;
  return (node?.allOf ?? []).map((part) => member(resolve, part, location, name)).find((value) => value !== undefined);
}

/** Collects the event types, which are those of the messages with a `sequence`, and the names of all messages. */
function collectMessages() {
  const types = [];
  const names = new Set();
  return {
    types,
    names,
    Message({ name, payload }, { resolve, location }) {
      names.add(name);
      const type = member(resolve, payload, location, 'type')?.const;
      if (type !== undefined && member(resolve, payload, location, 'sequence') !== undefined) types.push(type);
    },
  };
}

/** Event types are unique, and a message that carries an event is named by its type. */
export function eventsNamed() {
  const { types, names, Message } = collectMessages();
  return {
    Message,
    Root: {
      leave(_root, { report }) {
        for (const type of new Set(types.filter((candidate, index) => types.indexOf(candidate) !== index)))
          report({ message: `two messages have the type ${type}` });
        for (const type of types.filter((candidate) => !names.has(candidate)))
          report({ message: `no message is named ${type}, which is the type of one` });
      },
    },
  };
}

/**
 * The union of events that clients read has each type once, and each is the type of a message (in the AsyncAPI
 * document) and in the list of types (where the document has one).
 */
export function eventTypesAgree() {
  const { types, Message } = collectMessages();
  const { schemas, visitors } = collectComponents();
  const sortWords = (words) => [...words].sort().join(', ');
  return {
    ...visitors,
    Message,
    Root: {
      leave(root, { resolve, report }) {
        const union = schemas.get('KnownEvent');
        const list = schemas.get('EventType');
        const variants = (union?.node.oneOf ?? []).map((part) => member(resolve, part, union.location, 'type')?.const);
        if (root.asyncapi !== undefined && sortWords(variants) !== sortWords(types))
          report({ message: `KnownEvent has other types than the messages: ${sortWords(variants)}` });
        if (list !== undefined && union !== undefined && sortWords(variants) !== sortWords(list.node.enum))
          report({
            message: `EventType has other types than KnownEvent: ${sortWords(list.node.enum)}`,
            location: list.location,
          });
      },
    },
  };
}

/** Class generators name an object, an enumeration or a union by its title: words, and each title once. */
export function titlesMakeClasses() {
  const titles = new Map();
  return {
    Schema(schema, { location, report }) {
      const makesClass = ['properties', 'enum', 'oneOf', 'anyOf'].some((keyword) => schema[keyword] !== undefined);
      // Bindings describe how a connection is opened.
      if (!makesClass || location.pointer.includes('/bindings/')) return;
      const { title } = schema;
      if (!/^[A-Z][A-Za-z0-9]*( [A-Za-z0-9]+)*$/.test(title ?? ''))
        report({ message: `needs a title of words, from which generators make a class name: ${title}` });
      else if (titles.has(title)) report({ message: `has the title of ${titles.get(title)}: ${title}` });
      else titles.set(title, location.pointer);
    },
  };
}
