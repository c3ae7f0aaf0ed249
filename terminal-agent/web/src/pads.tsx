/** Screens on which people type. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Backspace, Warning } from './icons.js';
import { Button, CancelButton, type Door, Layout, type Of } from './parts.js';

function Key({ name, type }: { name: string; type: (letter: string) => void }) {
  return (
    <Button class="key" onClick={() => type(name)} data-key={name}>
      {name}
    </Button>
  );
}

const BackspaceKey = ({ door, remove }: { door: Door; remove: () => void }) => (
  <Button class="key" onClick={remove} data-key="Backspace" aria-label={door.text.delete_last}>
    <Backspace />
  </Button>
);

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export function Unpaired({ door, screen: { busy, message } }: Of<'unpaired'>) {
  const { text, send } = door;
  const [code, setCode] = useState('');
  useLayoutEffect(() => {
    if (!busy && message !== undefined) setCode('');
  }, [busy, message]);
  const type = (letter: string) => setCode((code) => (busy || code.length === 8 ? code : code + letter));
  const cell = (index: number) => <span class={`cell${index === code.length ? ' next' : ''}`}>{code[index]}</span>;
  const confirm = () => {
    if (code.length === 8 && !busy) send({ kind: 'code', code: `${code.slice(0, 4)}-${code.slice(4)}` });
  };
  return (
    <Layout door={door} hint={null}>
      <div class="head">
        <div>
          <h1>{text.pairing_code}</h1>
          <p class={`from${message === undefined ? '' : ' wrong'}`} role="status">
            {message === undefined ? text.pairing_code_from : text.code_failed[message]}
          </p>
        </div>
        <div class="cells" role="img" aria-label={text.code_label(code.length)}>
          {[0, 1, 2, 3].map(cell)}
          <span class="dash">-</span>
          {[4, 5, 6, 7].map(cell)}
        </div>
      </div>
      <div class="keys">
        {[...alphabet].map((letter) => (
          <Key key={letter} name={letter} type={type} />
        ))}
        <BackspaceKey door={door} remove={() => setCode((code) => (busy ? code : code.slice(0, -1)))} />
        <Button class="key confirm" onClick={confirm} aria-disabled={code.length < 8 || busy} data-confirm="">
          {text.pair}
        </Button>
      </div>
    </Layout>
  );
}

export function Pin({ door, screen: { firstName, purpose, wrong } }: Of<'pin'>) {
  const { text } = door;
  return (
    <PinPad
      door={door}
      title={text.enter_pin}
      purpose={`${firstName} · ${purpose === 'account' ? text.account : text.action[purpose]}`}
    >
      {wrong !== undefined && (
        <span>
          {text.pin_wrong}
          {wrong.triesLeft !== undefined && <br />}
          {wrong.triesLeft !== undefined && text.tries_left(wrong.triesLeft)}
        </span>
      )}
    </PinPad>
  );
}

export function ChoosePin({ door, screen: { firstName, again, differs } }: Of<'choose_pin'>) {
  const { text } = door;
  return (
    <PinPad
      door={door}
      title={again ? text.choose_pin_again : text.choose_pin}
      purpose={`${firstName} · ${text.choose_pin_text}`}
    >
      {differs && <span>{text.pins_differ}</span>}
    </PinPad>
  );
}

/** Six dots and the keys for them. The digits leave with OK, and the dots never show them. */
function PinPad(props: {
  readonly door: Door;
  readonly title: string;
  readonly purpose: string;
  /** The fault of the PIN before. */
  readonly children: ComponentChildren;
}) {
  const { door, title, purpose, children } = props;
  const { text, send } = door;
  const [pin, setPin] = useState('');
  const type = (digit: string) => setPin((pin) => (pin.length < 6 ? pin + digit : pin));
  const confirm = () => {
    if (pin.length < 6) return;
    send({ kind: 'pin', pin });
    setPin('');
  };
  return (
    <Layout door={door} className="pad-screen">
      <div class="front">
        <h1>{title}</h1>
        <p class="purpose">{purpose}</p>
        <div class="digits" role="img" aria-label={text.pin_digits(pin.length)}>
          {[0, 1, 2, 3, 4, 5].map((index) => (
            <i key={index} class={index < pin.length ? 'full' : ''} />
          ))}
        </div>
        {children && (
          <p class="wrong" role="alert">
            <Warning />
            {children}
          </p>
        )}
        <CancelButton door={door} />
      </div>
      <div class="pad">
        {[...'123456789'].map((digit) => (
          <Key key={digit} name={digit} type={type} />
        ))}
        <BackspaceKey door={door} remove={() => setPin((pin) => pin.slice(0, -1))} />
        <Key name="0" type={type} />
        <Button class="key confirm" onClick={confirm} aria-disabled={pin.length < 6} data-confirm="">
          OK
        </Button>
      </div>
    </Layout>
  );
}
