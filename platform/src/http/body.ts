/**
 * Bodies: bounded while they arrive, fatal UTF-8, JSON that is an object, no deeper than 20, no member twice, no
 * control characters but tab and line feed and no lone surrogates in any text.
 */
import type { IncomingMessage } from 'node:http';
import { normalizeName } from '../text/name.js';
import type { OperationInfo } from './contract.js';
import { Refusal } from './refusal.js';
import { readForm } from './request-target.js';

const maxDepth = 20;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const empty = Buffer.alloc(0);

/**
 * The media type of the body, judged by the headers alone.
 * @throws Refusal `payload_too_large`, `unsupported_media_type`, `invalid_request` for a body where there is none
 */
export function mediaTypeOf({ body }: OperationInfo, { headers }: IncomingMessage, maxBytes: number): string {
  const length = headers['content-length'];
  const empty = (length === undefined || length === '0') && headers['transfer-encoding'] === undefined;
  if (empty) return '';
  if (body === undefined) throw invalid('unexpected_body', 'This operation takes no body.');
  if (length !== undefined && Number(length) > maxBytes) throw new Refusal('payload_too_large');
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw new Refusal('unsupported_media_type');
  const [mediaType = '', ...more] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = more
    .find((part) => part.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if ((charset !== undefined && charset !== 'utf-8') || !body.mediaTypes.includes(mediaType))
    throw new Refusal('unsupported_media_type');
  return mediaType;
}

/** @returns undefined for an empty body: whether one is needed, validation says. @throws Refusal `invalid_request` */
export function parseBody(mediaType: string, raw: Buffer): Record<string, unknown> | undefined {
  if (raw.length === 0) return undefined;
  return mediaType === 'application/x-www-form-urlencoded' ? readForm(decodeUtf8(raw)) : parseJsonObject(raw);
}

/** Brings the names in a body into the form in which they are checked and stored, in place. */
export function normalizeNames(body: Record<string, unknown>, names: OperationInfo['names']): void {
  for (const path of names) {
    let at: unknown = body;
    for (const member of path.slice(0, -1)) at = (at as Record<string, unknown> | null | undefined)?.[member];
    const last = path.at(-1)!;
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, last)) continue;
    const value = (at as Record<string, unknown>)[last];
    if (typeof value === 'string') (at as Record<string, unknown>)[last] = normalizeName(value);
  }
}

/**
 * The whole body, raw.
 * @param maxBytes a longer one is `payload_too_large`, before reading where Content-Length says so.
 */
export function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> | Buffer {
  const declared = message.headers['content-length'];
  if (declared === undefined && message.headers['transfer-encoding'] === undefined) return empty;
  if (declared === '0') return empty;
  if (declared !== undefined && Number(declared) > maxBytes) throw new Refusal('payload_too_large');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        message.removeAllListeners('data');
        message.pause();
        reject(new Refusal('payload_too_large'));
        return;
      }
      chunks.push(chunk);
    });
    message.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    // Nothing but a broken connection is reported here; RFC 9112 §8.
    message.on('error', () => reject(new ClientGone()));
    message.on('close', () => {
      if (!message.complete) reject(new ClientGone());
    });
  });
}

/** The client closed the connection before its request was whole: no one is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** @throws Refusal `invalid_request` */
function decodeUtf8(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw invalid('not_utf8', 'The body is not valid UTF-8.');
  }
}

/** @returns the object in the body. @throws Refusal `invalid_request` */
export function parseJsonObject(body: Buffer): Record<string, unknown> {
  const text = decodeUtf8(body);
  if (depthOf(text) > maxDepth) throw invalid('too_deep', `The JSON is nested deeper than ${maxDepth} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('malformed', 'The body is not well-formed JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('not_an_object', 'The body is not a JSON object.');
  const repeated = repeatedMember(text);
  if (repeated !== undefined)
    throw new Refusal('invalid_request', {
      details: [{ field: repeated.slice(0, 200), code: 'repeated', error: 'The member stands more than once.' }],
    });
  // Below U+0020 and in half a surrogate pair only an escape can bring them in: raw ones are no valid JSON or UTF-8.
  const forbidden = /[\\\u007f-\u009f]/.test(text) ? forbiddenText(value, []) : undefined;
  if (forbidden !== undefined)
    throw new Refusal('invalid_request', {
      details: [
        {
          field: forbidden.join('.').slice(0, 200) || 'body',
          code: 'forbidden_character',
          error: 'The text contains a control character or a lone surrogate.',
        },
      ],
    });
  return value as Record<string, unknown>;
}

/** Deepest nesting, by brackets outside of strings. Cheap, and before the parser sees the text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 92) index++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 125 || code === 93) depth--;
  }
  return deepest;
}

/** Notes have lines and tabs; nothing else of what steers terminals and printers is text. */
const controlCharacter = /[^\P{Cc}\t\n]/u;

/** @returns where the text stands; the name of the object around it if its own name is at fault */
function forbiddenText(value: unknown, path: readonly string[]): readonly string[] | undefined {
  if (typeof value === 'string') return isForbidden(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = isForbidden(name) ? path : forbiddenText(member, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isForbidden(text: string): boolean {
  return controlCharacter.test(text) || !text.isWellFormed();
}

function invalid(code: string, error: string): Refusal {
  return new Refusal('invalid_request', { details: [{ field: 'body', code, error }] });
}

/** An object or a list that is open at a place of the text. */
interface Frame {
  /** The names seen so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  /** The name or index that stands here. */
  at: string | number;
}

/**
 * A member that stands twice in one object. JSON.parse takes the last one, other parsers the first: two programs would
 * read the same bytes differently (RFC 8259 §4).
 * @param text well-formed JSON
 * @returns the path of the first member that stands twice, as in `stamps[3].uid`
 */
export function repeatedMember(text: string): string | undefined {
  const frames: Frame[] = [];
  let isName = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    const frame = frames.at(-1);
    if (character === '"') {
      const start = index;
      index = endOfString(text, start);
      if (!isName) continue;
      isName = false;
      const literal = text.slice(start, index + 1);
      frame!.at = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
      if (frame!.names!.has(frame!.at)) return pathOf(frames);
      frame!.names!.add(frame!.at);
    } else if (character === '{') {
      frames.push({ names: new Set(), at: '' });
      isName = true;
    } else if (character === '[') {
      frames.push({ names: undefined, at: 0 });
      isName = false;
    } else if (character === '}' || character === ']') {
      frames.pop();
      isName = false;
    } else if (character === ',') {
      if (frame!.names === undefined) frame!.at = (frame!.at as number) + 1;
      else isName = true;
    }
  }
  return undefined;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

function pathOf(frames: readonly Frame[]): string {
  return frames
    .map(({ names, at }, index) => (names === undefined ? `[${at}]` : index === 0 ? String(at) : `.${at}`))
    .join('');
}
