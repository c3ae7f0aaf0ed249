/**
 * Does a bit of everything in an order that the seed decides, and reads everything again and again: page by page, from
 * where it stopped, for one person and for all. It expects nothing itself; the memory judges what was answered.
 */
import type { Answer, Client } from '../../kit/client.js';
import { at, isRecord } from '../../kit/json.js';
import { Skipped } from '../../kit/outcome.js';
import { type Company, type Extension, type Person, pause, type World } from '../../kit/world.js';
import { connected } from '../support.js';
import { blockBadge, stampOffline, stampTwice, visitTheDoor } from './walk-door.js';
import { anchorOne } from './walk-index.js';
import { endLinks, openLinks, rotate, useLink, type WalkedLink } from './walk-links.js';

const stamps = ['in', 'out', 'break/start', 'break/end'] as const;

export async function walk(world: World): Promise<{ readonly answers: readonly Answer[] }> {
  const walker = await Walker.begin(world);
  for (let step = 0; step < 24; step++) {
    await walker.act(step);
    if (step % 6 === 5) await walker.look();
  }
  await walker.end();
  return { answers: walker.answers };
}

/** Same numbers for the same seed (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

class Walker {
  readonly answers: Answer[] = [];
  readonly #world: World;
  readonly #company: Company;
  readonly #random: (below: number) => number;
  readonly #extensions: readonly Extension[];
  readonly #people: readonly Person[];
  /** Absences that wait, with the extension that made them. */
  readonly #absences: { readonly id: number; readonly personId: number; readonly api: Client }[] = [];
  #changes = 0;
  readonly #positions = new Map<string, string>();
  #turn = 0;
  #looks = 0;
  #webhooks: Extension | undefined;
  #leading: Client | undefined;
  #links: readonly WalkedLink[] = [];
  #readProof: (() => Promise<void>) | undefined;

  private constructor(world: World, company: Company, extensions: readonly Extension[], people: readonly Person[]) {
    this.#world = world;
    this.#company = company;
    this.#random = randomOf(world.seed);
    this.#extensions = extensions;
    this.#people = people;
  }

  static async begin(world: World): Promise<Walker> {
    const company = await world.newCompany('Walk');
    const extensions: Extension[] = [];
    // So many that none comes near its limit of requests.
    for (let index = 0; index < 8; index++) extensions.push(await world.newExtension({ company_id: company.id }));
    const people: Person[] = [];
    const soon = new Date(Date.parse(company.today()) + 30 * day).toISOString().slice(0, 10);
    for (const more of [
      {},
      { employment_end: soon },
      {},
      { department_id: company.departments[1], tracked_from: monthBefore(company.today()) },
    ])
      people.push(await world.newPerson({ company_id: company.id, department_id: company.departments[0], ...more }));
    const walker = new Walker(world, company, extensions, people);
    await walker.#prepare();
    return walker;
  }

  /** What follows the walk beside it: a connection, a receiver, a link. Each only where the deployment has it. */
  async #prepare(): Promise<void> {
    const socket = await this.#world.newExtension({ mode: 'websocket', company_id: this.#company.id });
    await connected(this.#world, socket);
    await optional(async () => {
      const { extension } = await this.#world.receiver({ company_id: this.#company.id });
      this.#webhooks = extension;
    });
    this.#leading = (
      await this.#world.newExtension({ company_id: this.#company.id, absences_count_as_approved: true })
    ).api;
    const ofBadges = await this.#world.company();
    for (const { id } of [this.#company, ofBadges]) await optional(() => this.#world.fixtures.listAbsenceTypes(id));
    await optional(async () => {
      this.#links = await openLinks(this.#world, this.#keep);
    });
    await optional(async () => {
      this.#readProof = await anchorOne(this.#world, this.#keep);
    });
    await this.look();
  }

  /** Half of the callers write. */
  #api(): Client {
    this.#turn += 1;
    return this.#extensions[this.#turn % (this.#extensions.length / 2)]!.api;
  }

  /** The others read, one after the other, so that each follows its own positions. */
  #reader(): { readonly api: Client; readonly name: string } {
    this.#looks += 1;
    const half = this.#extensions.length / 2;
    const { api, id } = this.#extensions[half + (this.#looks % half)]!;
    return { api, name: id };
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#random(of.length)]!;
  }

  readonly #keep = async (asked: Promise<Answer>): Promise<Answer> => {
    const answer = await asked;
    this.answers.push(answer);
    return answer;
  };

  async act(step: number): Promise<void> {
    const person = this.#one(this.#people);
    // The kinds take turns, so that each walk has some of each; what they do is random.
    const kind = step % 6;
    if (kind < 2) await this.#stamp(person);
    else if (kind === 2) await this.#requestAbsence(person);
    else if (kind === 3) await this.#changeAbsence(person);
    else if (kind === 4) await this.#useLink();
    else await this.#visitTheDoor(step);
  }

  /** Mostly a whole visit, sometimes a stamp that the state refuses. */
  async #stamp(person: Person): Promise<void> {
    const api = this.#api();
    const stamp = (operation: string, headers = {}) =>
      this.#keep(api.post(`/api/v1/clock/${operation}`, { user_id: person.id }, { headers }));
    await this.#keep(api.get(`/api/v1/clock/states?user_id=${person.id}`));
    const key = { 'idempotency-key': `walk-${this.#turn}-${person.id}` };
    const first = this.#random(2) === 0 ? 'in' : this.#one(stamps);
    await stamp(first, key);
    await this.#keep(api.get(`/api/v1/clock/states?user_id=${person.id}`));
    await stamp(first, key);
    // The key of another caller says nothing.
    const other = this.#one(this.#people);
    await this.#keep(this.#api().post(`/api/v1/clock/${this.#one(stamps)}`, { user_id: other.id }, { headers: key }));
    for (const operation of ['break/start', 'break/end'] as const) await stamp(operation);
    if (this.#random(3) > 0) await stamp('out');
  }

  async #requestAbsence(person: Person): Promise<void> {
    for (const type of [this.#one(['vacation', 'special_leave']), this.#one(['sickness', 'home_office', 'vacation'])]) {
      const api = this.#api();
      const { monday, wednesday } = this.#world.week();
      const request = {
        user_id: person.id,
        type,
        start_date: monday,
        end_date: wednesday,
        ...(this.#random(2) === 0 ? { comment: `Walk ${this.#turn}` } : {}),
        external_id: `walk-${this.#turn}`,
      };
      const made = await this.#keep(api.post('/api/v1/absences', request));
      await this.#keep(api.post('/api/v1/absences', request));
      const id = made.get('id');
      if (typeof id !== 'number') continue;
      if (made.get('status') === 'waiting') this.#absences.push({ id, personId: person.id, api });
      // The same days once more.
      const again = { ...request, type: 'vacation', external_id: `walk-${this.#turn}-again` };
      await this.#keep(api.post('/api/v1/absences', again));
      await this.#readAbsence(id, api);
    }
  }

  async #readAbsence(id: number, api: Client): Promise<Answer> {
    const read = await this.#keep(api.get(`/api/v1/absences/${id}`));
    const tag = read.header('etag');
    if (tag !== undefined) await this.#keep(api.get(`/api/v1/absences/${id}`, { headers: { 'if-none-match': tag } }));
    return read;
  }

  /** One that waits is changed; then it is withdrawn, approved, or approved and cancelled. */
  async #changeAbsence(person: Person): Promise<void> {
    await this.#approvedAbsence(person);
    const absence = this.#absences.shift();
    if (absence === undefined) return;
    const { id, personId, api } = absence;
    const path = `/api/v1/absences/${id}`;
    const before = await this.#readAbsence(id, api);
    const headers = { 'if-match': before.header('etag') ?? '*' };
    await this.#keep(api.patch(path, { comment: `Changed ${this.#turn}` }, { headers }));
    await this.#readAbsence(id, api);
    // The tag that is no longer right.
    await this.#keep(api.get(path, { headers: { 'if-none-match': headers['if-match'] } }));
    await this.#keep(api.patch(path, { comment: `Again ${this.#turn}` }, { headers }));
    await this.#keep(api.patch(path, { end_date: before.get('start_date') }));
    await this.#readAbsence(id, api);
    const end = this.#changes++ % 3;
    if (end > 0)
      await optional(() =>
        this.#world.fixtures.approveAbsence({ id, company_id: this.#company.id, user_id: personId }),
      );
    if (end < 2) await this.#keep(api.delete(path));
    await this.#keep(api.patch(path, { comment: `Too late ${this.#turn}` }));
    await this.#readAbsence(id, api);
  }

  /** Half a day that counts at once, and whose cancellation is granted at once, too. */
  async #approvedAbsence(person: Person): Promise<void> {
    const api = this.#leading;
    if (api === undefined) return;
    const { monday } = this.#world.week();
    const request = {
      user_id: person.id,
      type: 'vacation',
      start_date: monday,
      end_date: monday,
      half_day: 'morning',
      external_id: `half-${this.#turn}`,
    };
    const made = await this.#keep(api.post('/api/v1/absences', request));
    // The same name for other days.
    await this.#keep(api.post('/api/v1/absences', { ...request, half_day: 'afternoon' }));
    const id = made.get('id');
    if (typeof id !== 'number') return;
    await this.#readAbsence(id, api);
    if (this.#random(2) === 0) await this.#keep(api.delete(`/api/v1/absences/${id}`));
  }

  async #useLink(): Promise<void> {
    const link = this.#links[this.#turn % 2];
    if (link !== undefined) await useLink(link, this.#world, this.#keep, this.#random);
  }

  async #visitTheDoor(step: number): Promise<void> {
    await optional(() => visitTheDoor(this.#world, this.#keep, this.#random, Math.floor(step / 6)));
  }

  /** Reads everything. */
  async look(): Promise<void> {
    const today = this.#company.today();
    const yesterday = new Date(Date.parse(today) - day).toISOString().slice(0, 10);
    const lastMonth = new Date(Date.parse(`${today.slice(0, 7)}-01`) - day).toISOString().slice(0, 10);
    const period = `from=${yesterday}&to=${today}`;
    const year = `from=${today}&to=${new Date(Date.parse(today) + 364 * day).toISOString().slice(0, 10)}`;
    const { api, name } = this.#reader();
    const person = this.#one(this.#people);
    await this.#keep(this.#world.open.get('/api/v1/status'));
    await this.#pages(api, '/api/v1/users?limit=2');
    await this.#pages(api, '/api/v1/companies?');
    await this.#pages(api, '/api/v1/clock/states?limit=3');
    for (const state of ['in', 'on_break', 'out']) await this.#pages(api, `/api/v1/clock/states?state=${state}`);
    await this.#pages(api, `/api/v1/time/entries?${period}&limit=6`);
    await this.#pages(api, `/api/v1/time/entries?${period}&user_id=${person.id}&limit=20`);
    await this.#pages(api, `/api/v1/time/leaves?${year}&limit=3`);
    await this.#pages(api, `/api/v1/time/leaves?${year}&user_id=${person.id}`);
    for (const date of [yesterday, lastMonth]) await this.#pages(api, `/api/v1/time/balances?date=${date}&limit=3`);
    await this.#pages(api, `/api/v1/time/bookings?from=${lastMonth}&to=${today}`);
    for (const list of ['users', 'time/entries', 'time/leaves']) await this.#follow(api, `${name} ${list}`, list);
    // Who made an absence sees its own name of it.
    const writer = this.#api();
    await this.#pages(writer, '/api/v1/time/leaves?updated_since=2020-01-01&limit=100');
    await this.#events(api, name);
    // The company where people have badges.
    const other = await this.#world.extension();
    await this.#pages(other.api, `/api/v1/time/entries?${period}&limit=200`);
    await this.#pages(other.api, `/api/v1/clock/states?limit=200`);
    // One caller sees the same records again.
    const { api: same } = this.#extensions.at(-1)!;
    const records = await this.#keep(same.get(`/api/v1/time/entries?${period}&user_id=${person.id}`));
    const entry = at(records.json, 'data.0.id');
    for (const path of [`users/${person.id}`, ...(typeof entry === 'number' ? [`time/entries/${entry}`] : [])])
      await this.#keep(same.get(`/api/v1/${path}`));
    for (const action of ['clock.', 'absence.']) await optional(() => this.#world.audit(action));
    await this.#index();
  }

  async #pages(api: Client, path: string): Promise<Answer> {
    for (let cursor = ''; ; ) {
      const page = await this.#keep(api.get(`${path}${cursor}`));
      if (page.get('has_more') !== true) return page;
      cursor = `${path.endsWith('?') ? '' : '&'}cursor=${String(page.get('next_cursor'))}`;
    }
  }

  /** The changes since the caller looked last. */
  async #follow(api: Client, place: string, list: string): Promise<void> {
    const since = this.#positions.get(place) ?? new Date(Date.now() - 60_000).toISOString();
    const last = await this.#pages(api, `/api/v1/${list}?updated_since=${since}&limit=3`);
    const next = last.get('next_updated_since');
    if (typeof next === 'string') this.#positions.set(place, next);
  }

  async #events(api: Client, place: string): Promise<void> {
    const after = this.#positions.get(place);
    const last = await this.#pages(api, `/api/v1/events?limit=4${after === undefined ? '' : `&after=${after}`}`);
    const next = last.get('next_after');
    if (typeof next === 'string') this.#positions.set(place, next);
  }

  async #index(): Promise<void> {
    const { indexer } = this.#world;
    await this.#keep(indexer.get('/api/v1/status'));
    const page = await this.#keep(indexer.get('/api/v1/proofs?limit=3'));
    const more = page.get('next_cursor');
    if (typeof more === 'string') await this.#keep(indexer.get(`/api/v1/proofs?limit=3&cursor=${more}`));
    const proof = at(page.json, 'data.0');
    if (!isRecord(proof)) return;
    const { tx, company_token: token, merkle_root: root } = proof;
    await this.#pages(indexer, `/api/v1/companies/${encodeURIComponent(String(token))}/proofs?limit=200`);
    await this.#keep(indexer.get(`/api/v1/proofs/${String(tx)}`));
    for (const query of ['', `?root=${String(root)}`, `?root=${'0'.repeat(64)}`])
      await this.#keep(indexer.get(`/api/v1/verify/${String(tx)}${query}`));
  }

  /** Accounts, an extension that changes, a person who changes and one who leaves; what was sent has time to arrive. */
  async end(): Promise<void> {
    await this.#account();
    await this.#administer();
    const [first, , last] = this.#people;
    await optional(() => stampTwice(this.#world, this.#keep, this.#people[1]!, this.#company));
    await optional(async () => {
      const person = await this.#world.newPerson({ company_id: this.#company.id, department_id: undefined });
      await stampOffline(this.#world, this.#keep, person, this.#company);
    });
    await optional(() => endLinks(this.#links, this.#world, this.#keep));
    await optional(() => rotate(this.#world, this.#keep));
    await optional(() => blockBadge(this.#world, this.#keep));
    await optional(async () => this.#readProof?.());
    const change = (members: { last_name: string; department_id?: number }) =>
      optional(() => this.#world.fixtures.changePerson(first!.id, members));
    const [, south] = this.#company.departments;
    await change({ last_name: `Walked ${this.#turn}`, ...(south === undefined ? {} : { department_id: south }) });
    await this.look();
    // As the cleaning up knows them.
    await change({ last_name: first!.name.slice(first!.firstName.length + 1) });
    await this.#stamp(last!);
    await this.#requestAbsence(last!);
    await optional(async () => {
      await this.#keep(this.#api().get(`/api/v1/users/${last!.id}`));
      await this.#world.fixtures.erasePerson(last!, this.#company.today());
      for (let times = 0; times < 4; times++) await this.#keep(this.#api().get(`/api/v1/users/${last!.id}`));
      const since = new Date(Date.now() - 60_000).toISOString();
      for (const list of ['users', 'time/entries', 'time/leaves']) {
        const { next_since: next } = (await this.#pages(this.#api(), `/api/v1/${list}/removed?since=${since}&limit=2`))
          .json as { readonly next_since?: unknown };
        for (const from of [since, next])
          await this.#pages(this.#api(), `/api/v1/${list}/removed?since=${from}&limit=2`);
      }
    });
    await this.#stamp(first!);
    await pause(2_500);
    const receiver = this.#webhooks;
    if (receiver !== undefined)
      await optional(async () => {
        await this.#world.fixtures.listDeliveries(receiver.id);
        await this.#world.fixtures.showExtension(receiver.id);
      });
    await this.look();
    for (const action of [
      'company.',
      'department.',
      'person.',
      'extension.',
      'terminal.',
      'badge.',
      'card.',
      'link.',
      'month.',
    ])
      await optional(() => this.#world.audit(action));
  }

  /** Somebody whose months are tracked works, is paid out and gets a month closed. */
  async #account(): Promise<void> {
    const { fixtures } = this.#world;
    const person = this.#people.at(-1)!;
    const yesterday = new Date(Date.parse(this.#company.today()) - day).toISOString().slice(0, 10);
    await optional(async () => {
      await fixtures.addEntry(person.id, {
        start: `${yesterday}T08:00:00Z`,
        end: `${yesterday}T12:00:00Z`,
        reason: 'Forgotten',
      });
      await fixtures.addBooking(person.id, { date: yesterday, minutes: -30, reason: 'Paid out' });
    });
    await this.look();
    await optional(() => fixtures.createDepartment(this.#company.id, 'West'));
    await optional(() => fixtures.closeMonth(this.#company.id, monthBefore(this.#company.today()).slice(0, 7)));
    await this.look();
    await this.look();
  }

  /** An extension gets a new key and loses a permission, and then everything. */
  async #administer(): Promise<void> {
    const { fixtures } = this.#world;
    const extension = await this.#world.newExtension({ company_id: this.#company.id });
    const ask = (api: Client) => this.#keep(api.get(`/api/v1/users?limit=1`, { patient: false }));
    await ask(extension.api);
    await optional(async () => {
      await fixtures.showExtension(extension.id);
      const key = await fixtures.rotateKey(extension.id);
      const newer = this.#world.bearer(key);
      for (const api of [extension.api, newer]) await ask(api);
      await fixtures.endOldKey(extension.id);
      for (const api of [extension.api, newer]) await ask(api);
      await fixtures.changeExtension(extension.id, { scopes: ['read:clock_states'] });
      await fixtures.showExtension(extension.id);
      for (let times = 0; times < 2; times++) await ask(newer);
      await fixtures.removeExtension(extension.id);
      for (let times = 0; times < 2; times++) await ask(newer);
    });
  }
}

const day = 86_400_000;
/** The first day of the month before. */
const monthBefore = (today: string): string => {
  const [year = 0, month = 0] = today.split('-').map(Number);
  return new Date(Date.UTC(year, month - 2, 1)).toISOString().slice(0, 10);
};

/** Where a deployment lacks something, the walk goes on without it. */
async function optional(doing: () => Promise<unknown>): Promise<void> {
  try {
    await doing();
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
  }
}
