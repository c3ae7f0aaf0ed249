/** One component a screen. Sizes are those of 1024 by 600 and grow with the display. */
import type { ComponentChildren } from 'preact';
import type { Countdown } from '../../src/screen/view.js';
import type { TerminalAction } from '../../src/terminal-api.js';
import { clock, days, hours, since } from './formats.js';
import { ActionIcon, BadgeHint, Lock, Octagon, Slashed, StateIcon, Tick, Warning } from './icons.js';
import { ChoosePin, Pin, Unpaired } from './pads.js';
import {
  AccountButton,
  Bar,
  BigClock,
  Button,
  CancelButton,
  CloseButton,
  Closing,
  type Door,
  Dots,
  Layout,
  type Of,
  Standing,
  timeLeft,
} from './parts.js';

export function CurrentScreen({ door }: { door: Door }) {
  const { text, frame } = door;
  const { screen } = frame;
  switch (screen.name) {
    case 'starting':
      return <Idle door={door} prompt={text.starting} />;
    case 'idle':
      return <Idle door={door} prompt={screen.issuing === undefined ? text.hold : text.issuing(screen.issuing)} />;
    case 'checking':
      return <Checking door={door} />;
    case 'offline':
      return <Offline door={door} screen={screen} />;
    case 'no_reader':
      return <NoReader door={door} />;
    case 'unpaired':
      return <Unpaired door={door} screen={screen} />;
    case 'confirming':
      return <Confirming door={door} screen={screen} />;
    case 'choice':
      return <Choice door={door} screen={screen} />;
    case 'pin':
      return <Pin door={door} screen={screen} />;
    case 'choose_pin':
      return <ChoosePin door={door} screen={screen} />;
    case 'saving_pin':
      return <Saving door={door} firstName={screen.firstName} title={text.choose_pin} late />;
    case 'saving':
      return <SavingPurpose door={door} screen={screen} />;
    case 'done':
      return <Done door={door} screen={screen} />;
    case 'account':
      return <Account door={door} screen={screen} />;
    case 'offline_choice':
      return <OfflineChoice door={door} />;
    case 'offline_saved':
      return <OfflineSaved door={door} screen={screen} />;
    case 'issued':
      return <Notice door={door} kind="good" icon={<Tick />} title={text.issued} lines={['', text.issued_text]} />;
    case 'pin_chosen':
      return <Notice door={door} kind="good" icon={<Tick />} title={text.pin_chosen} lines={['', text.issued_text]} />;
    case 'pin_not_chosen':
      return <Notice door={door} title={text.pin_not_chosen} lines={text.pin_not_chosen_text} />;
    case 'refused':
      return <Notice door={door} kind="bad" icon={<Octagon />} title={text.refused} lines={text.refused_text} />;
    case 'removed':
      return <Notice door={door} title={text.removed} lines={text.removed_text} />;
    case 'locked':
      return (
        <Notice
          door={door}
          icon={<Lock />}
          title={text.locked}
          lines={[screen.minutes === undefined ? '' : text.locked_for(screen.minutes), text.locked_text]}
        />
      );
    case 'unsure':
      return <Notice door={door} title={text.unsure} lines={text.unsure_text} />;
    case 'no_account':
      return (
        <Notice
          door={door}
          title={text.no_account}
          lines={[screen.stamped ? text.stamp_is_saved : '', screen.noPin ? text.failed.no_pin : text.no_account_text]}
        />
      );
    case 'failed':
      return <Notice door={door} title={text.not_stamped} lines={[text.nothing_stamped, text.failed[screen.why]]} />;
  }
}

/** Read out once when the screen comes up. */
export function announcement({ frame: { screen }, text }: Door): string {
  return screen.name === 'choice' && screen.countdown !== undefined && screen.default !== undefined
    ? text.countdown(text.action[screen.default], Math.ceil(screen.countdown.left / 1_000))
    : '';
}

const Idle = ({ door, prompt }: { door: Door; prompt: string }) => (
  <Standing door={door}>
    <h1 class={prompt.length > 22 ? 'prompt long' : 'prompt'}>{prompt}</h1>
  </Standing>
);

const Checking = ({ door }: { door: Door }) => (
  <Layout door={door} hint={null}>
    <div class="front" role="status">
      <BigClock door={door} />
      <h1 class="prompt">{door.text.hold_still}</h1>
    </div>
    <div class="panel">
      <div class="way still">
        <BadgeHint />
      </div>
    </div>
  </Layout>
);

function Offline({ door, screen: { stopped, records, waiting } }: Of<'offline'>) {
  const { text } = door;
  const name = stopped ? text.stopped : text.offline;
  return (
    <Standing door={door}>
      <div class="box">
        <div class="row">
          <strong class="kind">
            <Slashed />
            {name}
          </strong>
          {waiting > 0 && <strong>{text.stamps_wait(waiting)}</strong>}
        </div>
        <p>{!records ? text.offline_not_here : stopped ? text.stopped_text : text.offline_text}</p>
      </div>
      <h1 class="prompt">{records ? text.hold : name}</h1>
    </Standing>
  );
}

const NoReader = ({ door }: { door: Door }) => (
  <Standing
    door={door}
    way={
      <div class="way missing">
        <Slashed />
      </div>
    }
  >
    <h1 class="prompt">{door.text.no_reader}</h1>
    <p class="advice">{door.text.no_reader_text}</p>
  </Standing>
);

function Confirming({ door, screen: { fingerprint, code } }: Of<'confirming'>) {
  const { text } = door;
  const [before, word, after] = text.same_fingerprint;
  return (
    <Layout door={door} hint={null}>
      <div class="head">
        <h1>{text.pair_terminal}</h1>
        {code !== undefined && (
          <p class="code">
            <Tick />
            {`${text.code} `}
            <strong>{code}</strong>
          </p>
        )}
      </div>
      <p class="question">
        {before}
        <strong>{word}</strong>
        {after}
      </p>
      <p class="fingerprint">
        {fingerprint
          .split('-')
          .map((group, index) => [
            index > 0 && <span class="dash" aria-hidden="true" />,
            <span key={group}>{group}</span>,
          ])}
      </p>
      <p class="compare">{text.compare}</p>
      <div class="foot">
        <p class="waiting" role="status">
          <Dots />
          {text.waiting}
        </p>
        <CancelButton door={door} />
      </div>
    </Layout>
  );
}

function Choice({ door, screen }: Of<'choice'>) {
  const { text, frame, now, send } = door;
  const primaryAction = screen.actions.find((action) => action === 'in' || action === 'out');
  const otherAction = screen.actions.find((action) => action !== primaryAction);
  const mayHaveForgotten = screen.state !== 'out' && screen.actions.includes('in');
  const hintOf = (action: TerminalAction) => {
    if (action === screen.default) return text.hold_again;
    if (action === 'break_start') return text.break_starts(clock(frame, now));
    return action === 'in' && mayHaveForgotten ? text.new_day : undefined;
  };
  return (
    <Layout door={door} hint={<span>{screen.countdown !== undefined && text.touch_stops}</span>}>
      <div class="head">
        <h1>{text.hello(screen.firstName)}</h1>
        <span class="time">{clock(frame, now)}</span>
      </div>
      <p class={`standing ${screen.state}`}>
        <StateIcon state={screen.state} />
        {screen.since === undefined || screen.state === 'out' ? (
          <strong class="only">{text.state[screen.state]}</strong>
        ) : (
          <span>
            {`${text.state[screen.state]} ${text.since} `}
            <strong>{since(frame, screen.since, now)}</strong>
            {screen.state === 'in' && !mayHaveForgotten && ' · '}
            {screen.state === 'in' && !mayHaveForgotten && <strong>{hours((now - screen.since) / 60_000)}</strong>}
          </span>
        )}
      </p>
      {mayHaveForgotten && <p class="note">{text.forgotten}</p>}
      <div class="actions">
        {[primaryAction, otherAction].map(
          (action) =>
            action !== undefined && (
              <ActionButton
                key={action}
                action={action}
                className={`${action === screen.default ? ' usual' : ''}${text.action[action].length > 8 ? ' long' : ''}`}
                name={text.action[action]}
                hint={hintOf(action)}
                send={send}
              >
                {action === screen.default && screen.countdown !== undefined && (
                  <CountdownRing door={door} countdown={screen.countdown} />
                )}
              </ActionButton>
            ),
        )}
      </div>
      <div class="others">
        {screen.account && <AccountButton door={door} />}
        <CancelButton door={door} />
      </div>
    </Layout>
  );
}

function ActionButton(props: {
  readonly action: TerminalAction;
  readonly className?: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly send: Door['send'];
  /** In place of the action's icon. */
  readonly children?: ComponentChildren;
}) {
  const { action, className = '', name, hint, send, children } = props;
  return (
    <Button class={`action${className}`} onClick={() => send({ kind: 'act', action })}>
      <span class="what">
        <span class="name">{name}</span>
        {hint !== undefined && <span class="more">{hint}</span>}
      </span>
      {children || <ActionIcon action={action} />}
    </Button>
  );
}

const circumference = 2 * Math.PI * 50;

function CountdownRing({ door, countdown }: { door: Door; countdown: Countdown }) {
  const milliseconds = timeLeft(door, countdown);
  return (
    <span class="countdown" aria-hidden="true">
      <svg viewBox="0 0 108 108" aria-hidden="true">
        <circle class="empty" cx="54" cy="54" r="50" />
        <circle
          class="filled"
          cx="54"
          cy="54"
          r="50"
          stroke-dasharray={circumference}
          stroke-dashoffset={circumference * (1 - milliseconds / countdown.total)}
        />
      </svg>
      <span class="number">{Math.ceil(milliseconds / 1_000)}</span>
    </span>
  );
}

function SavingPurpose({ door, screen: { firstName, purpose, late } }: Of<'saving'>) {
  const { text } = door;
  return purpose === 'account' ? (
    <Saving door={door} firstName={firstName} title={text.account_title} late={late} />
  ) : (
    <Saving
      door={door}
      firstName={firstName}
      title={text.action[purpose]}
      icon={<ActionIcon action={purpose} />}
      late={late}
    />
  );
}

function Saving(props: {
  readonly door: Door;
  readonly firstName: string;
  readonly title: string;
  readonly icon?: ComponentChildren;
  readonly late: boolean;
}) {
  const { door, firstName, title, icon, late } = props;
  return (
    <Layout door={door} className="saving">
      <p class="who">{firstName}</p>
      <h1>{title}</h1>
      {icon}
      <p class="waiting" role="status">
        <Dots />
        {late && door.text.checking_answer}
      </p>
    </Layout>
  );
}

function Done({ door, screen }: Of<'done'>) {
  const { text, frame } = door;
  const { firstName, action, repeat, time, warning, account, closes } = screen;
  const className = `full${warning === undefined ? '' : ' warned'}${repeat ? ' repeated' : ''}`;
  return (
    <Layout door={door} className={className} hint={<Closing door={door} closes={closes} />}>
      <div class="head">
        <p class="who">
          <Tick />
          {firstName}
        </p>
        {account && <AccountButton door={door} />}
      </div>
      <div class="result" role="status">
        <h1>
          {repeat && <span class="already">{text.already}</span>}
          {text.done[action]}
        </h1>
        <p class="time">{clock(frame, time)}</p>
        <ActionIcon action={action} />
      </div>
      {warning !== undefined && (
        <p class="caution">
          <Warning />
          {warning}
        </p>
      )}
      <Bar door={door} closes={closes} />
    </Layout>
  );
}

function Account({ door, screen: { firstName, info, closes } }: Of<'account'>) {
  const { text, frame } = door;
  const { worked_today_minutes, balance_minutes, vacation_days_left } = info;
  return (
    <Layout door={door} hint={<Closing door={door} closes={closes} />}>
      <h1>{firstName}</h1>
      <dl>
        <Figure label={text.today} value={hours(worked_today_minutes)} />
        <Figure label={text.balance} value={`${balance_minutes < 0 ? '−' : '+'}${hours(balance_minutes)}`} />
        <Figure label={text.vacation} value={text.days(days(frame, vacation_days_left), vacation_days_left === 1)} />
      </dl>
      <CloseButton door={door} />
      <Bar door={door} closes={closes} />
    </Layout>
  );
}

const Figure = ({ label, value }: { label: string; value: string }) => (
  <div class="figure">
    <dt>{label}</dt>
    <dd>{value}</dd>
  </div>
);

function Notice(props: {
  readonly door: Door;
  readonly kind?: 'good' | 'bad' | 'warn';
  readonly icon?: ComponentChildren;
  readonly title: string;
  /** The outcome of the stamp, and the next step. */
  readonly lines: readonly string[];
}) {
  const { door, kind = 'warn', icon = <Warning />, title, lines } = props;
  const [first = '', second = ''] = lines;
  return (
    <Layout door={door} className={`notice ${kind}`}>
      {icon}
      <div role={kind === 'good' ? 'status' : 'alert'}>
        <h1>{title}</h1>
        <p>
          {first !== '' && <strong>{first}</strong>}
          {` ${second}`}
        </p>
        <CloseButton door={door} />
      </div>
    </Layout>
  );
}

const offlineActions: readonly TerminalAction[] = ['in', 'break_start', 'out', 'break_end'];

const OfflineChoice = ({ door }: { door: Door }) => (
  <Layout door={door}>
    <h1>{door.text.what}</h1>
    <div class="actions">
      {offlineActions.map((action) => (
        <ActionButton key={action} action={action} name={door.text.action[action]} send={door.send} />
      ))}
    </div>
    <CancelButton door={door} />
  </Layout>
);

function OfflineSaved({ door, screen: { action, time, closes } }: Of<'offline_saved'>) {
  const { text, frame } = door;
  return (
    <Layout door={door} hint={<Closing door={door} closes={closes} />}>
      <div class="box" role="status">
        <p class="already">
          <Slashed />
          {text.saved}
        </p>
        <h1>{text.done[action]}</h1>
        <p class="time">{clock(frame, time)}</p>
        <p class="approval">{text.needs_approval}</p>
      </div>
      <Bar door={door} closes={closes} />
    </Layout>
  );
}
