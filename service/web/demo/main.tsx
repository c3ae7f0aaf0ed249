/** The demo page: one stamp in four places, live. */
import '@fontsource-variable/inter/wght.css';
import './demo.css';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Scene } from '../../demo/stage/scene.js';
import { guardPresses } from '../src/parts/press.js';
import { Developer } from './developer.js';
import { Door } from './door.js';
import { dayOf, Station, timeOf } from './parts.js';
import { Phone } from './phone.js';
import { Supervisor } from './supervisor.js';
import { language, words } from './words.js';

document.documentElement.lang = language;
guardPresses();

interface Link {
  readonly first_name: string;
  readonly role: string;
  readonly url: string;
}

async function ask(action: string, body: object = {}): Promise<string | undefined> {
  const response = await fetch(`/ask/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.ok ? undefined : ((await response.json()) as { error: string }).error;
}

function useScene(): { readonly scene: Scene | undefined; readonly isLost: boolean } {
  const [scene, setScene] = useState<Scene>();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const source = new EventSource('/scene');
    source.onmessage = ({ data }: MessageEvent<string>) => {
      setScene(JSON.parse(data) as Scene);
      setLost(false);
    };
    source.onerror = () => setLost(true);
    return () => source.close();
  }, []);
  return { scene, isLost };
}

function useNow(): string {
  const [now, setNow] = useState(() => new Date().toISOString());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date().toISOString()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Demo(): ReactNode {
  const { scene, isLost } = useScene();
  const now = useNow();
  const [fault, setFault] = useState<string>();
  const [links, setLinks] = useState<readonly Link[]>();
  const tell = useCallback((action: string, body?: object) => void ask(action, body).then(setFault), []);
  const request = scene?.supervisor.request?.id;
  const badges = scene?.door.badges;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const badge = badges?.[Number(event.key) - 1];
      if (badge !== undefined) tell('present', { card: badge.card });
      else if (event.key === 'a' && request !== undefined) tell('approve', { id: request });
      else if (event.key === 'r' && request !== undefined) tell('reject', { id: request, comment: words.rejected });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [badges, request, tell]);
  const showLinks = async () => {
    if (links !== undefined) return setLinks(undefined);
    const response = await fetch('/links', { method: 'POST' });
    setLinks((await response.json()) as Link[]);
  };
  if (scene === undefined) return isLost ? <p className="lost">{words.lost}</p> : null;
  const { time_zone: timeZone, stamp } = scene;
  return (
    <>
      <header className="top">
        <b className="brand">
          <i /> Clockproof
        </b>
        <span className="tag">{words.demo}</span>
        <span className="grow" />
        <time className="muted">
          {dayOf(now, timeZone)}, {timeOf(now, timeZone, true)}
        </time>
        <div className="menu">
          <button type="button" aria-expanded={links !== undefined} onClick={() => void showLinks()}>
            {words.signInAs}
          </button>
          {links !== undefined && (
            <ul>
              {links.map(({ first_name: name, role, url }) => (
                <li key={url}>
                  <a href={url} target="_blank" rel="noopener" onClick={() => setLinks(undefined)}>
                    {name} <small>{role.replace('_', ' ')}</small>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      </header>
      <main>
        <p className="lead">
          <strong>{words.title}</strong> {words.lead}{' '}
          {scene.door.badges.map(({ card }, index) => (
            <kbd key={card}>{index + 1}</kbd>
          ))}
          .{' '}
          {stamp?.sequence !== undefined && (
            <>
              {words.follow} <b className="accent">#{stamp.sequence}</b> {words.fromLeft}
            </>
          )}
        </p>
        {(fault !== undefined || isLost) && (
          <p className="fault" role="alert">
            {isLost ? words.lost : fault}
          </p>
        )}
        <div className="stations">
          <Station number={1} title={words.door} sub={words.doorSub} delayMs={stamp?.door}>
            <Door
              door={scene.door}
              timeZone={timeZone}
              now={now}
              hold={(card, trick) => tell('present', trick === undefined ? { card } : { card, trick })}
            />
          </Station>
          <Station
            number={2}
            title={words.phone}
            sub={words.phoneSub(scene.phone.name.split(' ')[0] ?? '')}
            delayMs={stamp?.phone}
          >
            <Phone
              phone={scene.phone}
              timeZone={timeZone}
              now={now}
              stamp={stamp}
              act={(action) => tell('clock', { action })}
            />
          </Station>
          <Station number={3} title={words.supervisor} sub={words.supervisorSub} delayMs={stamp?.supervisor}>
            <Supervisor
              supervisor={scene.supervisor}
              timeZone={timeZone}
              stamp={stamp}
              decide={(decision, id) =>
                tell(decision, decision === 'reject' ? { id, comment: words.rejected } : { id })
              }
            />
          </Station>
          <Station number={4} title={words.developer} sub={words.developerSub} delayMs={stamp?.developer}>
            <Developer developer={scene.developer} timeZone={timeZone} stamp={stamp} anchor={() => tell('anchor')} />
          </Station>
        </div>
      </main>
    </>
  );
}

createRoot(document.getElementById('root')!).render(<Demo />);
