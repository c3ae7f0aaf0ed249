// Descriptions are Markdown, which readers see drawn.

/** How a line of Markdown begins that is no text: a heading, a quotation, an item of a list. */
const opening = /^ {0,3}(?:(?<mark>#{1,6}|[>*+-])|(?<number>\d+)[.)]) /;

/**
 * No line of a paragraph reads as something else. One that begins with "2199. " is an item of a list: the paragraph ends
 * before it, in the middle of a sentence. A list follows an empty line, a colon or its item before.
 */
export function* paragraphsStayWhole(document) {
  for (const { text, pointer } of descriptions(document, ''))
    for (const line of cutsOf(text)) yield { at: pointer, message: `the paragraph is cut before: ${line}` };
}

function* cutsOf(text) {
  for (const block of text.replaceAll(/^```[\s\S]*?^```/gm, '').split(/\n\s*\n/)) {
    let before = '';
    let last;
    for (const line of block.split('\n').filter((part) => part.trim() !== '')) {
      const begins = opening.exec(line)?.groups;
      if (begins !== undefined) {
        const continues = last !== undefined && begins.mark === last.mark;
        const starts = before === '' || before.endsWith(':');
        const expected = continues && last.number !== undefined ? Number(last.number) + 1 : 1;
        const isInOrder = begins.number === undefined || Number(begins.number) === expected;
        if (!(continues || starts) || !isInOrder) yield line;
        last = begins;
      }
      before = line;
    }
  }
}

/** Every description and its pointer, but for those within examples, which are data. */
function* descriptions(node, pointer) {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (key === 'description' && typeof value === 'string') yield { text: value, pointer: at };
    else if (key !== 'example' && key !== 'examples') yield* descriptions(value, at);
  }
}
