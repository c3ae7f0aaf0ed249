/** Pages that are loaded when they are opened, or earlier, when the browser is idle. */
import { type ComponentType, lazy } from 'react';

export type LazyPage<Props> = ComponentType<Props> & {
  /** Loads it for later, so that it opens at once, and without a connection. */
  readonly preload: () => Promise<unknown>;
};
type Page<Name extends string, Props> = Readonly<Record<Name, ComponentType<Props>>>;

/**
 * A page that uses Mantine's parts, which come with it.
 * @param name of the page in its module
 */
export function mantinePage<Name extends string, Props extends object>(
  load: () => Promise<Page<Name, Props>>,
  name: Name,
): LazyPage<Props> {
  return lazyPage(async () => {
    const [page, { WithMantine }] = await Promise.all([load(), import('./mantine.js')]);
    const Loaded: ComponentType<Props> = page[name];
    return (props: Props) => (
      <WithMantine>
        <Loaded {...props} />
      </WithMantine>
    );
  });
}

/** A page of our own parts. */
export function plainPage<Name extends string, Props extends object>(
  load: () => Promise<Page<Name, Props>>,
  name: Name,
): LazyPage<Props> {
  return lazyPage(async () => (await load())[name]);
}

function lazyPage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  const Lazy = lazy(async () => ({ default: await load() }));
  return Object.assign((props: Props) => <Lazy {...props} />, { preload: load });
}

/** Loads pages one after the other. A page that fails now is loaded when it is opened. */
export async function preloadPages(pages: readonly { readonly preload?: () => Promise<unknown> }[]): Promise<void> {
  for (const { preload } of pages) await preload?.().catch(() => undefined);
}

/** Whether the person asked the browser to load no more than it needs (Network Information API, save-data). */
export function savesData(): boolean {
  return (navigator as { readonly connection?: { readonly saveData?: boolean } }).connection?.saveData === true;
}
