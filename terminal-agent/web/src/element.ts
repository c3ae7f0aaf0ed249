/** Elements by function calls: nothing on this page is made from text. */

export type Child = Node | string | undefined | false;
type Listener = (event: Event) => void;

export function h(
  name: string,
  attributes: Readonly<Record<string, string | Listener | undefined | false>> = {},
  ...children: readonly Child[]
): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

export function svg(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly SVGElement[]
): SVGElement {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
