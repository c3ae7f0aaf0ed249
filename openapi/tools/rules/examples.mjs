// Every example is true: by its schema, and by the formats of ours, which Redocly's rules do not know.
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { follow } from './place.mjs';

function makeAjv() {
  const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  const instant = ajv.formats['date-time'].validate;
  ajv.addFormat('date-time', (text) => text.endsWith('Z') && instant(text));
  // The service's times have milliseconds: a client tried with whole seconds only would fail at its first answer.
  ajv.addFormat('date-time with milliseconds', (text) => /\.\d{3}Z$/.test(text) && instant(text));
  ajv.addFormat('entity-tag', /^(?:\*|"[A-Za-z0-9_-]{1,64}")$/);
  // Every character of an example can be seen in the document; the rule itself is the service's.
  ajv.addFormat('name', /^\S(?:.*\S)?$/u);
  ajv.addFormat('note', /\S/);
  ajv.addFormat('base58-digest', /^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  return ajv;
}

/** Reports examples that their schema refuses. Each schema gets an id for references to it, and is compiled once. */
function exampleChecker() {
  const ajv = makeAjv();
  const ids = new Map();
  const idOf = ({ node, location }, resolve) => {
    const knownId = ids.get(location.absolutePointer);
    if (knownId !== undefined) return knownId;
    const id = `schema:${ids.size}`;
    ids.set(location.absolutePointer, id);
    ajv.addSchema(withIds(node, location, resolve), id);
    return id;
  };
  const withIds = (node, location, resolve) => {
    if (Array.isArray(node)) return node.map((part) => withIds(part, location, resolve));
    if (typeof node !== 'object' || node === null) return node;
    if (typeof node.$ref === 'string') {
      const target = follow(resolve, node, location);
      return target.node === undefined ? {} : { $ref: idOf(target, resolve) };
    }
    if (node.format === 'date-time' && node['x-from-client'] !== true)
      return { ...node, format: 'date-time with milliseconds' };
    return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, withIds(part, location, resolve)]));
  };
  return (schema, at, value, example, { resolve, report }) => {
    const target = follow(resolve, schema, at);
    if (target.node === undefined) return;
    const validate = ajv.getSchema(idOf(target, resolve));
    if (validate(value)) return;
    for (const { instancePath, message } of validate.errors)
      report({ message: `the example does not fit its schema: ${instancePath || '/'} ${message}`, location: example });
  };
}

export function examplesValid() {
  const check = exampleChecker();
  const ofCarrier = (carrier, context) => {
    const { resolve, location } = context;
    if (carrier.schema === undefined) return;
    const judge = (value, place) => check(carrier.schema, location.child(['schema']), value, place, context);
    if (carrier.example !== undefined) judge(carrier.example, location.child(['example']));
    for (const [name, example] of Object.entries(carrier.examples ?? {}))
      judge(follow(resolve, example, location).node?.value, location.child(['examples', name]));
  };
  return {
    MediaType: ofCarrier,
    Parameter: ofCarrier,
    Header: ofCarrier,
    Schema(schema, context) {
      for (const [index, value] of (schema.examples ?? []).entries())
        check(schema, context.location, value, context.location.child(['examples', index]), context);
    },
  };
}

/** Every message shows examples, and they are valid by its payload and headers. */
export function messageExamplesValid() {
  const check = exampleChecker();
  return {
    Message(message, context) {
      const { location, report } = context;
      if (!message.examples?.length) report({ message: 'a message without an example' });
      for (const [index, example] of (message.examples ?? []).entries()) {
        const at = location.child(['examples', index]);
        if (example.payload === undefined) report({ message: 'an example without a payload', location: at });
        for (const part of ['payload', 'headers'])
          if (example[part] !== undefined && message[part] !== undefined)
            check(message[part], location.child([part]), example[part], at.child([part]), context);
      }
    },
  };
}
