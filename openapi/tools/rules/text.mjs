// Descriptions are Markdown, which readers see drawn.

/** How a line of Markdown begins that is no text: a heading, a quotation, an item of a list. */
const opening = /^ {0,3}(?:(?<mark>#{1,6}|[>*+-])|(?<number>\d+)[.)]) /;

/**
 * No line of a paragraph reads as something else. One that begins with "2199. " is an item of a list: the paragraph
 * ends before it, in the middle of a sentence. A list follows an empty line, a colon or its item before.
 */
export const paragraphsWhole = () => ({
  any(node, { location, report }) {
    if (typeof node?.description !== 'string') return;
    for (const line of cutsOf(node.description))
      report({ message: `the paragraph is cut before: ${line}`, location: location.child(['description']) });
  },
});

function* cutsOf(text) {
  for (const block of text.replaceAll(/^```[\s\S]*?^```/gm, '').split(/\n\s*\n/)) {
    let previousLine = '';
    let lastItem;
    for (const line of block.split('\n').filter((part) => part.trim() !== '')) {
      const item = opening.exec(line)?.groups;
      if (item !== undefined) {
        const continues = lastItem !== undefined && item.mark === lastItem.mark;
        const starts = previousLine === '' || previousLine.endsWith(':');
        const expected = continues && lastItem.number !== undefined ? Number(lastItem.number) + 1 : 1;
        const isInOrder = item.number === undefined || Number(item.number) === expected;
        if (!(continues || starts) || !isInOrder) yield line;
        lastItem = item;
      }
      previousLine = line;
    }
  }
}
