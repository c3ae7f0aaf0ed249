/** Pages that are loaded when they are opened, or before, when the browser has nothing else to do. */
import { type ComponentType, lazy } from 'react';
import { useHasAllWords } from '../words/words.js';
import { Skeleton } from './skeleton.js';

export type LazyPage<Props> = ComponentType<Props> & {
  /** Loads it for later, so that it opens at once, and without a connection. */
  readonly preload: () => Promise<unknown>;
};

/** A page that uses Mantine's parts, which come with it. */
export function mantinePage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  return lazyPage(async () => {
    const [Loaded, { WithMantine }] = await Promise.all([load(), import('./mantine.js')]);
    return withWords((props: Props) => (
      <WithMantine>
        <Loaded {...props} />
      </WithMantine>
    ));
  });
}

/** A page of our own parts. */
export function plainPage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  return lazyPage(async () => withWords(await load()));
}

/** The start page: its sentences are those of the frame. */
export function startPage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  return lazyPage(load);
}

function lazyPage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  const Lazy = lazy(async () => ({ default: await load() }));
  return Object.assign((props: Props) => <Lazy {...props} />, { preload: load });
}

function withWords<Props extends object>(Loaded: ComponentType<Props>): ComponentType<Props> {
  return (props) => (useHasAllWords() ? <Loaded {...props} /> : <Skeleton rows={8} />);
}

/** Loads pages one after the other. What fails now is asked for again when it is opened. */
export async function preloadPages(pages: readonly { readonly preload?: () => Promise<unknown> }[]): Promise<void> {
  for (const { preload } of pages) await preload?.().catch(() => undefined);
}
