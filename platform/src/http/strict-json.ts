/**
 * JSON of a request: fatal UTF-8, an object, no deeper than 20, no member twice, no control characters but tab and line
 * feed and no lone surrogates in any text. JSON.parse alone takes all of these.
 */
import { Refusal } from './refusal.js';

const maxDepth = 20;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws Refusal `invalid_request` */
export function decodeUtf8(body: Buffer): string {
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
  const repeatedPath = repeatedMember(text);
  if (repeatedPath !== undefined)
    throw new Refusal('invalid_request', {
      details: [{ field: repeatedPath.slice(0, 200), code: 'repeated', error: 'The member stands more than once.' }],
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

/** Notes have lines and tabs; other characters that steer terminals and printers are no text. */
const controlCharacter = /[^\P{Cc}\t\n]/u;

/** @returns the place of the text; the name of the object around it if its own name is at fault */
function forbiddenText(value: unknown, path: readonly string[]): readonly string[] | undefined {
  if (typeof value === 'string') return isForbidden(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const forbiddenPath = isForbidden(name) ? path : forbiddenText(member, [...path, name]);
    if (forbiddenPath !== undefined) return forbiddenPath;
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

/** The place of the closing quote of the string that begins at `start`. */
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
