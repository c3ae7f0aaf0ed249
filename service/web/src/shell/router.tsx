/**
 * Replaces wouter (vite.config.ts) by the part that the pages use: its types, a third of its size, on every first load.
 * An address is a path of plain parts, where one with a colon stands for any.
 */
import {
  Children,
  type ComponentPropsWithRef,
  Fragment,
  isValidElement,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useSyncExternalStore,
} from 'react';
import { companyParam } from '../parts/company-param.js';
import { leaving } from '../parts/leaving.js';

const moveEvent = 'clockproof:moved';
type Go = (to: string, options?: { readonly replace?: boolean }) => void;

addEventListener('popstate', () => leaving.onPopState() && dispatchEvent(new Event(moveEvent)));

function subscribe(listener: () => void): () => void {
  addEventListener(moveEvent, listener);
  return () => removeEventListener(moveEvent, listener);
}

const go: Go = (to, { replace = false } = {}) => {
  if (!replace && !leaving.mayLeave(() => go(to))) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', companyParam.addTo(to));
  dispatchEvent(new Event(moveEvent));
};

const usePath = () => useSyncExternalStore(subscribe, () => location.pathname);

export function useLocation(): [string, Go] {
  return [usePath(), go];
}

/** The query without its question mark. */
export function useSearch(): string {
  return useSyncExternalStore(subscribe, () => location.search.slice(1));
}

type Params = Readonly<Record<string, string>>;

/** @returns the values of the parts with a colon; undefined if the address is another one */
function match(pattern: string | undefined, path: string): Params | undefined {
  if (pattern === undefined) return {};
  const patternParts = pattern.split('/');
  const pathParts = path.replace(/(.)\/$/, '$1').split('/');
  if (patternParts.length !== pathParts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of patternParts.entries()) {
    const value = pathParts[at]!;
    if (part.startsWith(':') && value !== '') params[part.slice(1)] = decode(value);
    else if (part !== value) return undefined;
  }
  return params;
}

/** A malformed address stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface RouteProps {
  readonly path?: string;
  readonly children?: ReactNode | ((params: Params) => ReactNode);
}

export function Route({ path, children }: RouteProps): ReactNode {
  const params = match(path, usePath());
  if (params === undefined) return null;
  return typeof children === 'function' ? children(params) : children;
}

/** The first of its routes that fits. */
export function Switch({ children }: { readonly children: ReactNode }): ReactNode {
  const path = usePath();
  const routes = (of: ReactNode): ReactElement<RouteProps>[] =>
    Children.toArray(of).flatMap((child) => {
      if (!isValidElement<RouteProps>(child)) return [];
      return child.type === Fragment ? routes(child.props.children as ReactNode) : [child];
    });
  return routes(children).find(({ props }) => match(props.path, path) !== undefined);
}

export function Redirect({ to, replace }: { readonly to: string; readonly replace?: boolean }): ReactNode {
  useEffect(() => go(to, { replace: replace === true }), [to, replace]);
  return null;
}

/** A click that opens a tab or a window is the browser's. */
export function Link({ href = '', onClick, ...props }: ComponentPropsWithRef<'a'>): ReactNode {
  useSearch();
  return (
    <a
      {...props}
      href={companyParam.addTo(href)}
      onClick={(event: MouseEvent<HTMLAnchorElement>) => {
        onClick?.(event);
        if (event.defaultPrevented || event.button !== 0) return;
        if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
        event.preventDefault();
        go(href);
      }}
    />
  );
}
