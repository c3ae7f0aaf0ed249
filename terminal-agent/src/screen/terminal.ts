import type { RunConfig, ScreenConfig } from '../config.js';
import type { Facts } from '../device-facts.js';
import { hex, openDialogues, patiently } from '../dialogue.js';
import { loadOrCreateKey, newKey, type TerminalKey } from '../key.js';
import { fileDisk, journalFile, NotRecorded, type OfflineJournal, openJournal } from '../offline/journal.js';
import { sealStamp } from '../offline/seal.js';
import { uploads } from '../offline/upload.js';
import { PairingFailed, register } from '../pair.js';
import type { Reader } from '../reader/reader.js';
import { type Registration, registrationIfThere, storeRegistration } from '../registration.js';
import { createServiceClient, type Refused, type ServiceClient } from '../request.js';
import type { SimulatorControl } from '../simulator-control.js';
import { aborted } from '../sleep.js';
import { loadStatus, type StoredStatus, storeStatus } from '../stored-status.js';
import { type Called, type TerminalApi, type TerminalStatus, terminalApi, triesLeft } from '../terminal-api.js';
import { watchStatus } from '../watch-status.js';
import type { World } from '../world.js';
import type { CardEnd, Conditions, Door, Effect, NotGiven } from './machine.js';
import { outcomeOf } from './outcome.js';
import { openScreenServer } from './server.js';
import { openStage, type Stage } from './stage.js';
import type { Frame } from './view.js';

/** Milliseconds between two questions how the terminal stands: somebody who issues or confirms is waiting. */
const pace = { usual: 5_000, confirming: 2_000 };
/** Dialogues with one card before the service counts as away. */
const attempts = 2;

/** The pairing in force: everything that belongs to one terminal key. */
interface Link {
  readonly terminalId: string;
  readonly client: ServiceClient;
  readonly api: TerminalApi;
  readonly journal: OfflineJournal;
  /** Ends the watch over its status. */
  readonly over: AbortController;
}

interface Devices {
  readonly reader: Reader;
  readonly control?: SimulatorControl | undefined;
  readonly facts: Facts;
}

/** A terminal with a screen, until the signal. Also one that is not paired yet: its screen asks for the code. */
export async function runWithScreen(
  config: RunConfig & { readonly screen: ScreenConfig },
  world: World,
  devices: Devices,
  signal: AbortSignal,
): Promise<void> {
  const key = await loadOrCreateKey(config.stateFolder, world.random);
  await new ScreenTerminal(config, world, devices, signal, key).run();
}

class ScreenTerminal {
  readonly #config: RunConfig & { readonly screen: ScreenConfig };
  readonly #world: World;
  readonly #devices: Devices;
  readonly #signal: AbortSignal;
  #key: TerminalKey;
  #link: Link | undefined;
  #status: StoredStatus | undefined;
  #stage!: Stage;
  /** One dialogue at a time: the next card waits until the last one is done with. */
  #work: Promise<void> = Promise.resolve();
  #presence = new AbortController();
  #dialogue = new AbortController();
  #card: { readonly uid: string; readonly bytes: Uint8Array } | undefined;

  constructor(
    config: RunConfig & { readonly screen: ScreenConfig },
    world: World,
    devices: Devices,
    signal: AbortSignal,
    key: TerminalKey,
  ) {
    this.#config = config;
    this.#world = world;
    this.#devices = devices;
    this.#signal = signal;
    this.#key = key;
  }

  async run(): Promise<void> {
    const { screen, stateFolder, serviceUrl } = this.#config;
    const { print } = this.#world;
    const { reader, control } = this.#devices;
    const registration = await registrationIfThere(stateFolder, serviceUrl);
    const link = registration && (await this.#connect(registration));
    let show = (_: Frame): void => undefined;
    const stage = this.#openStage(registration !== undefined, (frame) => show(frame));
    this.#stage = stage;
    const server = await openScreenServer({ port: screen.port, frame: stage.frame, act: stage.act });
    show = (frame) => server.show(frame);
    print(`Screen: http://127.0.0.1:${server.port}/`);
    this.#listen();
    if (link !== undefined) this.#watch(link);
    await reader.start();
    if (control !== undefined) print(`Simulator: http://127.0.0.1:${control.port}/`);
    await aborted(this.#signal);
    stage.stop();
    this.#link?.over.abort();
    await this.#work;
    await server.close();
  }

  #openStage(isPaired: boolean, show: (frame: Frame) => void): Stage {
    const { screen, timeZone, serviceUrl } = this.#config;
    const { now, sleep } = this.#world;
    return openStage({
      conditions: {
        pairing: !isPaired ? 'unpaired' : this.#status?.confirmed === true ? 'confirmed' : 'starting',
        fingerprint: this.#key.fingerprint,
        online: !isPaired,
        readerReady: false,
        recordsOffline: false,
        waiting: 0,
        info: false,
        infoWithoutPin: false,
        ...this.#conditions(),
      },
      settings: { language: screen.language, countdown: screen.countdown },
      appearance: {
        theme: screen.theme,
        reader: screen.readerSide,
        sound: screen.sound,
        timeZone,
        service: serviceUrl.host,
      },
      now,
      serviceNow: () => this.#link?.client.now() ?? now(),
      sleep,
      perform: (effect) => this.#perform(effect),
      show,
      moved: (before, after) => this.#moved(before, after),
    });
  }

  #conditions(): Partial<Conditions> {
    const status = this.#status;
    const journal = this.#link?.journal;
    return {
      fingerprint: this.#key.fingerprint,
      place: status?.name,
      info: status?.offers.info ?? false,
      infoWithoutPin: status?.offers.info_without_pin ?? false,
      recordsOffline: status?.offers.offline === true && status.seal_key !== undefined && journal?.stopped() === false,
      waiting: journal?.waiting().length ?? 0,
    };
  }

  #moved(before: Door, after: Door): void {
    const { control } = this.#devices;
    const outcome = outcomeOf(before.state, after.state);
    if (outcome !== undefined) control?.done(outcome);
    // A tool that holds a simulated card can also be the finger.
    const wanted = control?.choice();
    if (wanted === undefined || before.state.at === after.state.at) return;
    if (after.state.at === 'choice' || after.state.at === 'offline_choice')
      this.#stage.act(after.visit, { kind: 'act', action: wanted.action });
    if (after.state.at === 'pin' && wanted.pin !== undefined)
      this.#stage.act(after.visit, { kind: 'pin', pin: wanted.pin });
  }

  async #connect(registration: Registration): Promise<Link> {
    const { stateFolder, serviceUrl, requestTimeout } = this.#config;
    const { terminalId } = registration;
    const key = this.#key;
    const signer = { terminalId, key };
    const client = createServiceClient({ serviceUrl, timeout: requestTimeout, ...this.#world, signer });
    const journal = await openJournal(fileDisk(journalFile(stateFolder, terminalId, key)));
    if (journal.damaged > 0) this.#world.print(`Offline: ${journal.damaged} damaged lines of the journal are lost`);
    this.#status = await loadStatus(stateFolder, terminalId);
    journal.raise(this.#status?.offline_last_number ?? 0);
    const link = { terminalId, client, api: terminalApi(client), journal, over: new AbortController() };
    this.#link = link;
    return link;
  }

  #watch({ client, api, over, terminalId, journal }: Link): void {
    const { print, sleep } = this.#world;
    const ending = AbortSignal.any([this.#signal, over.signal]);
    const upload = uploads(journal, api, print, () => {
      if (!over.signal.aborted) this.#stage.send({ kind: 'conditions', changes: this.#conditions() });
    });
    const observe = (reply: Called<TerminalStatus>): void => {
      if (ending.aborted) return;
      const changes = changesBy(reply, this.#stage.door().conditions);
      if (reply.kind === 'answered') {
        this.#status = reply.body;
        journal.raise(reply.body.offline_last_number);
        storeStatus(this.#config.stateFolder, terminalId, reply.body).catch((error: unknown) =>
          print(`Status: ${String(error)}`),
        );
        if (reply.body.confirmed) void upload();
      }
      this.#stage.send({ kind: 'conditions', changes: { ...this.#conditions(), ...changes } });
    };
    void watchStatus(api, print, sleep, ending, {
      observe,
      facts: () => this.#devices.facts(client, journal.waiting().length),
      every: ({ body }) => (body.confirmed ? pace.usual : pace.confirming),
    });
  }

  #listen(): void {
    const { reader } = this.#devices;
    reader.onReaderState((state) =>
      this.#stage.send({ kind: 'conditions', changes: { readerReady: state.kind === 'ready' } }),
    );
    reader.onCard((card) => {
      this.#presence = new AbortController();
      // ISO/IEC 14443-3: a single-size UID that begins with 08 is random: a phone, a watch, or a card with random ID.
      if (card.uid === undefined || (card.uid.length === 4 && card.uid[0] === 0x08))
        return this.#stage.send({ kind: 'no_badge' });
      this.#card = { uid: hex(card.uid), bytes: card.uid };
      this.#stage.send({ kind: 'card', uid: this.#card.uid });
    });
    reader.onRemoved(() => this.#presence.abort());
  }

  #perform(effect: Exclude<Effect, { kind: 'sound' }>): void {
    switch (effect.kind) {
      case 'prove':
        return void this.#beginProof(effect);
      case 'forget_card':
        return void this.#dialogue.abort();
      case 'stamp':
        return void this.#stamp(effect);
      case 'info':
        return void this.#info(effect);
      case 'end':
        // Nothing depends on the answer: sessions expire.
        return void this.#link?.api.endSession({ session: effect.session }).catch(() => undefined);
      case 'record':
        return void this.#record(effect);
      case 'pair':
        return void this.#pair(effect.code);
      case 'cancel_pairing':
        return void this.#link?.over.abort();
    }
  }

  #beginProof({ visit, uid }: Extract<Effect, { kind: 'prove' }>): void {
    this.#dialogue.abort();
    this.#dialogue = new AbortController();
    const here = AbortSignal.any([this.#dialogue.signal, this.#presence.signal, this.#signal]);
    const link = this.#link;
    const card = this.#card;
    if (card?.uid !== uid || link === undefined) return;
    this.#work = this.#work
      .then(() => this.#prove(visit, card.bytes, here, link))
      .catch((error: unknown) => {
        this.#world.print(`Fault: ${String(error)}`);
        this.#stage.send({ kind: 'ended', visit, how: 'unreachable' });
      });
  }

  async #prove(visit: number, uid: Uint8Array, here: AbortSignal, { api }: Link): Promise<void> {
    const { reader } = this.#devices;
    const dialogues = openDialogues({ reader, api, ...this.#world });
    for (let attempt = 1; !here.aborted; attempt += 1) {
      const result = await dialogues.prove(uid, here);
      const reset = here.aborted ? undefined : reader.reset().catch(() => undefined);
      if (result.next === 'proved') {
        this.#stage.send({ kind: 'proved', visit, proof: result, uid: hex(uid) });
        await reset;
        return;
      }
      await reset;
      if (result.next === 'lost' && attempt < attempts && !here.aborted) continue;
      await dialogues.endOpenSession();
      const how = result.next === 'refused' ? cardEnd(result.refusal) : endOf[result.next];
      this.#stage.send({ kind: 'ended', visit, how });
      return;
    }
    this.#stage.send({ kind: 'ended', visit, how: 'removed' });
    await dialogues.endOpenSession();
  }

  async #stamp({ visit, session, action, pin }: Extract<Effect, { kind: 'stamp' }>): Promise<void> {
    const { api } = this.#link!;
    const request = { session, action, ...(pin === undefined ? {} : { pin }) };
    const called = await patiently(() => api.stamp(request), this.#signal, this.#world);
    if (called.kind === 'answered') this.#stage.send({ kind: 'stamped', visit, stamp: called.body });
    else this.#stage.send({ kind: 'not_given', visit, ...notGiven(called) });
  }

  async #info({ visit, session, pin }: Extract<Effect, { kind: 'info' }>): Promise<void> {
    const { api } = this.#link!;
    const request = { session, ...(pin === undefined ? {} : { pin }) };
    const called = await patiently(() => api.info(request), this.#signal, this.#world);
    if (called.kind === 'answered') this.#stage.send({ kind: 'info', visit, info: called.body });
    else this.#stage.send({ kind: 'not_given', visit, ...notGiven(called) });
  }

  async #record({ visit, uid, action }: Extract<Effect, { kind: 'record' }>): Promise<void> {
    const { terminalId, client, journal } = this.#link!;
    const { print, random } = this.#world;
    const sealKey = this.#status?.seal_key;
    const time = client.now();
    const at = new Date(time).toISOString().replace(/\.[0-9]{3}Z$/, 'Z');
    try {
      if (sealKey === undefined) throw new NotRecorded('the service has not told its key');
      await journal.record((number) => sealStamp({ uid, action, at }, { sealKey, terminalId, number }, random));
      this.#stage.send({ kind: 'recorded', visit, time });
    } catch (error) {
      print(`Offline stamp not recorded: ${error instanceof Error ? error.message : String(error)}`);
      this.#stage.send({ kind: 'not_recorded', visit });
    }
    this.#stage.send({ kind: 'conditions', changes: this.#conditions() });
  }

  async #pair(code: string): Promise<void> {
    const { stateFolder, serviceUrl } = this.#config;
    const { print } = this.#world;
    try {
      const paired = await this.#register(code);
      this.#key = paired.key;
      const registration = { terminalId: paired.terminalId, serviceUrl: serviceUrl.href };
      await storeRegistration(stateFolder, registration);
      print(`Terminal: ${paired.terminalId}`);
      print(`Fingerprint: ${paired.key.fingerprint}`);
      this.#link?.over.abort();
      const link = await this.#connect(registration);
      const changes = { ...this.#conditions(), pairing: 'confirming', code, online: true } as const;
      this.#stage.send({ kind: 'conditions', changes });
      this.#watch(link);
    } catch (error) {
      print(`Pairing: ${error instanceof Error ? error.message : String(error)}`);
      const wrong = error instanceof PairingFailed && error.code !== undefined;
      this.#stage.send({ kind: 'pairing_failed', how: wrong ? 'wrong' : 'unreachable' });
    }
  }

  /** With the key of this PC, or a new one if another terminal has it. A refused code leaves everything as it was. */
  async #register(code: string): Promise<{ readonly key: TerminalKey; readonly terminalId: string }> {
    const { stateFolder, serviceUrl, requestTimeout: timeout } = this.#config;
    const api = terminalApi(createServiceClient({ serviceUrl, timeout, ...this.#world }));
    const attempt = async (key: TerminalKey) => ({ key, ...(await register(code, api, key, this.#world.device)) });
    try {
      return await attempt(this.#key);
    } catch (error) {
      if (!(error instanceof PairingFailed && error.code === 'public_key_in_use')) throw error;
      const fresh = newKey(this.#world.random);
      const registered = await attempt(fresh);
      await fresh.save(stateFolder);
      return registered;
    }
  }
}

const endOf = {
  removed: 'removed',
  issued: 'issued',
  useless: 'unreachable',
  lost: 'unreachable',
  // Only with a stamp named beforehand, and here the person chooses.
  recorded: 'unreachable',
  unsure: 'unreachable',
} as const;

/** What an answer to `status` says about the terminal. */
function changesBy(reply: Called<TerminalStatus>, before: Conditions): Partial<Conditions> {
  if (reply.kind === 'unanswered') return { online: false, issuing: undefined };
  if (reply.kind === 'refused') {
    const unknown = reply.code === 'signature_invalid' || reply.code === 'terminal_unknown';
    return unknown ? { pairing: 'unpaired', online: true, code: undefined } : { online: false, issuing: undefined };
  }
  const { confirmed, issuing } = reply.body;
  return {
    pairing: confirmed ? 'confirmed' : 'confirming',
    code: confirmed ? undefined : before.code,
    online: true,
    issuing: issuing?.person_first_name,
  };
}

function cardEnd({ code }: Refused): CardEnd {
  if (code === 'department_not_allowed') return 'department_not_allowed';
  return code === 'feature_disabled' || code === 'terminal_not_confirmed' || code === 'signature_invalid'
    ? 'switched_off'
    : 'refused';
}

function notGiven(called: Exclude<Called<unknown>, { kind: 'answered' }>): NotGiven {
  if (called.kind === 'unanswered') return { why: 'unsure' };
  switch (called.code) {
    case 'pin_wrong':
      return { why: 'pin_wrong', triesLeft: triesLeft(called) };
    case 'pin_locked':
    case 'pin_required':
      return { why: called.code };
    case 'card_refused':
    case 'employment_ended':
      return { why: 'card_refused' };
    case 'month_closed':
    case 'department_not_allowed':
      return { why: 'failed', by: called.code };
    case 'already_clocked_in':
    case 'not_clocked_in':
    case 'already_on_break':
    case 'not_on_break':
      return { why: 'failed', by: 'changed' };
    case 'unavailable':
    case 'rate_limited':
      return { why: 'failed', by: 'unreachable' };
    case 'feature_disabled':
    case 'terminal_not_confirmed':
    case 'signature_invalid':
      return { why: 'failed', by: 'switched_off' };
    default:
      return { why: 'failed', by: 'other' };
  }
}
