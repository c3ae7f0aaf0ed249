/** A developer: the event stream, the signed webhook, and the proof that a stranger can check. */
import type { ReactNode } from 'react';
import type { Developer as DeveloperScene, Scene } from '../../demo/stage/scene.js';
import { Tick, timeOf } from './parts.js';
import { words } from './words.js';

const truncate = (text: string, length: number) =>
  text.length <= length ? text : `${text.slice(0, length - 6)}…${text.slice(-5)}`;

export function Developer({
  developer,
  timeZone,
  stamp,
  anchor,
}: {
  readonly developer: DeveloperScene;
  readonly timeZone: string;
  readonly stamp: Scene['stamp'];
  anchor(): void;
}): ReactNode {
  const { events, webhook, proof } = developer;
  return (
    <div className="card">
      <h2>
        {words.events} <span className="live">{words.live}</span>
      </h2>
      {events.length === 0 ? (
        <p className="muted">{words.noEvents}</p>
      ) : (
        <>
          <ul className="events">
            {events.map(({ sequence, type, at }) => (
              <li key={sequence} className={stamp?.sequence === sequence ? 'new' : ''}>
                <b>{sequence}</b> {type} <time>{timeOf(at, timeZone, true)}</time>
              </li>
            ))}
          </ul>
          <pre>{JSON.stringify(shorten(events[0]!), null, 1)}</pre>
        </>
      )}
      <h3>
        {words.webhook} {webhook === undefined ? '' : `· ${webhook.extension}`}
      </h3>
      {webhook === undefined ? (
        <p className="muted">{words.noWebhook}</p>
      ) : (
        <pre>
          {`POST /webhooks\nwebhook-id: ${truncate(webhook.id, 24)}\nwebhook-timestamp: ${webhook.timestamp}\nwebhook-signature: ${truncate(webhook.signature, 24)}\n`}
          <b>{webhook.valid ? words.valid : words.invalid}</b>
        </pre>
      )}
      <h3>
        {words.proof}
        <button type="button" disabled={developer.anchoring || events.length === 0} onClick={anchor}>
          {developer.anchoring ? words.anchoring : words.anchor}
        </button>
      </h3>
      {proof === undefined ? (
        <p className="muted">{words.noProof}</p>
      ) : (
        <div className="proof">
          <b className="verdict">
            <Tick /> {proof.verdict}
            {stamp?.sequence !== undefined && stamp.sequence <= proof.up_to && (
              <em>
                {words.includes} #{stamp.sequence}
              </em>
            )}
          </b>
          <pre>{`${words.root.padEnd(7)}${truncate(proof.root, 22)}\nTx     ${truncate(proof.tx, 22)}\nGET /api/v1/verify/${truncate(proof.tx, 12)}?root=${proof.root.slice(0, 4)}…\n{ "verdict": "${proof.verdict}", "verified": ${proof.verdict === 'match'} }`}</pre>
        </div>
      )}
    </div>
  );
}

function shorten({ type, sequence, at, data }: DeveloperScene['events'][number]): object {
  const { clock_state: state } = data as { clock_state?: { state: string; source?: { kind: string } } };
  return {
    type,
    sequence,
    timestamp: at,
    ...(state === undefined ? {} : { data: { state: state.state, source: state.source?.kind } }),
  };
}
