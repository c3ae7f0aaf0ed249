import { Fragment, type ReactNode } from 'react';

const firstMark = 0xe000;

/**
 * A sentence with names in it. Each name is isolated, so that its writing direction never turns the text around it
 * (Unicode UAX #9).
 */
export function withNames<Names extends readonly string[]>(
  sentence: (...names: Names) => string,
  ...names: Names
): ReactNode {
  const marks = names.map((_, index) => String.fromCharCode(firstMark + index));
  return sentence(...(marks as unknown as Names))
    .split(/([\ue000-\ue0ff])/)
    .map((part, index) => {
      const name = names[marks.indexOf(part)];
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence keep their order
      return <Fragment key={index}>{name === undefined ? part : <bdi>{name}</bdi>}</Fragment>;
    });
}
