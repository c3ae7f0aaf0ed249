/**
 * Members that stand twice in one object of a JSON text. JSON.parse takes the last one, other parsers the first: two
 * programs would read the same bytes differently (RFC 8259 §4).
 */

/** An object or a list that is open at a place of the text. */
interface Frame {
  /** The names seen so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  /** The name or index that stands here. */
  at: string | number;
}

/**
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
