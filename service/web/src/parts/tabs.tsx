/** Parts of a long page, one shown at a time; the address names the shown one. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';

export interface Tab {
  readonly key: string;
  readonly title: string;
  readonly content: () => ReactNode;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }): ReactNode {
  const search = new URLSearchParams(useSearch());
  const [path, go] = useLocation();
  const list = useRef<HTMLDivElement>(null);
  const tabParameter = search.get('tab');
  const shownTab = tabs.find(({ key }) => key === tabParameter) ?? tabs[0]!;
  // On a phone the tabs are wider than the screen, and an address can open any of them.
  useEffect(() => {
    const selected = list.current?.querySelector(`#tab-${shownTab.key}`);
    selected?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shownTab.key]);
  const show = (tab: Tab) => {
    search.set('tab', tab.key);
    go(`${path}?${search}`);
  };
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const index = (tabs.indexOf(shownTab) + by + tabs.length) % tabs.length;
    show(tabs[index]!);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[index]?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} ref={list}>
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`tab-${tab.key}`}
            aria-selected={tab === shownTab}
            aria-controls={tab === shownTab ? 'tab-panel' : undefined}
            tabIndex={tab === shownTab ? 0 : -1}
            onClick={() => show(tab)}
            onKeyDown={move}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div className="tab-panel stack" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${shownTab.key}`}>
        {shownTab.content()}
      </div>
    </>
  );
}
