// The event feeds of asyncapi/events.yaml.

import { resolve } from './walk.mjs';

/** `{ name, message, payload }` of every message of a bundled document; `name` is the component's. */
export function messagesOf(document) {
  return Object.entries(document.components?.messages ?? {}).map(([name, entry]) => {
    const message = resolve(document, entry);
    return { name, message, payload: resolve(document, message.payload) };
  });
}

/** The constant of a payload's `type`, also where the payload is put together with allOf. */
function typeOf(document, schema) {
  const resolvedSchema = resolve(document, schema);
  const eventType =
    resolvedSchema?.properties?.type === undefined
      ? undefined
      : resolve(document, resolvedSchema.properties.type).const;
  return (
    eventType ?? (resolvedSchema?.allOf ?? []).map((part) => typeOf(document, part)).find((type) => type !== undefined)
  );
}

/**
 * The event types: `type` constants of the messages that carry an event (they have a `sequence`), in the document's
 * order.
 */
export function eventTypesOf(document) {
  return messagesOf(document)
    .filter(({ payload }) => hasMember(document, payload, 'sequence'))
    .map(({ payload }) => typeOf(document, payload))
    .filter((type) => type !== undefined);
}

function hasMember(document, schema, member) {
  const resolvedSchema = resolve(document, schema);
  return (
    resolvedSchema?.properties?.[member] !== undefined ||
    (resolvedSchema?.allOf ?? []).some((part) => hasMember(document, part, member))
  );
}

/** An OpenAPI document that holds only the payloads, as schemas named by their message, for openapi-typescript. */
export function eventTypesDocument(document) {
  const payloads = messagesOf(document).map(({ name, message }) => [name, message.payload]);
  const schemas = { ...document.components?.schemas };
  for (const [name, payload] of payloads) if (!(name in schemas)) schemas[name] = payload;
  return {
    openapi: '3.1.0',
    info: { title: document.info.title, version: document.info.version },
    paths: {},
    components: { schemas },
  };
}
