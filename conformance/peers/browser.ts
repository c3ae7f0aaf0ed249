/** A person's browser, as far as the kit needs one: it signs in, keeps its cookies and consents. */
import type { Answer, Client, Sent } from '../kit/client.js';
import { Breach } from '../kit/outcome.js';
import { stepAt, totp } from './totp.js';

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Browser {
  readonly #client: Client;
  readonly #cookies = new Map<string, string>();
  totpSecret = '';
  #lastStep = 0;

  constructor(client: Client) {
    this.#client = client.with({ origin: client.base, 'sec-fetch-site': 'same-origin' });
  }

  async call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#client.call(method, path, {
      ...sent,
      headers: { ...(cookie === '' ? {} : { cookie }), ...sent.headers },
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair] = line.split(';');
      const [name, value] = [pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1)];
      if (value === '' || /max-age=0/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }

  get = (path: string) => this.call('GET', path);
  post = (path: string, json?: unknown) => this.call('POST', path, json === undefined ? {} : { json });
  patch = (path: string, json: unknown) => this.call('PATCH', path, { json });
  put = (path: string, json: unknown) => this.call('PUT', path, { json });
  delete = (path: string) => this.call('DELETE', path);

  /** @throws Breach a step is refused */
  async signIn(email: string, password: string, totpSecret: string): Promise<void> {
    this.totpSecret = totpSecret;
    const first = await this.post('/app/sign-in', { email, password });
    if (first.status !== 200) throw new Breach(`the sign-in was refused: ${first.status} ${first.brief()}`);
    if (first.get('next') === 'second_factor') await this.#prove('/app/sign-in/second-factor');
  }

  /** Each code is accepted once: after a refusal the next thirty seconds are tried. */
  async #prove(path: string): Promise<void> {
    let answer: Answer | undefined;
    for (let tries = 0; tries < 4; tries++) {
      const step = Math.max(stepAt(Date.now()), this.#lastStep + 1);
      if (step > stepAt(Date.now()) + 1) await pause((step - 1) * 30_000 - Date.now());
      this.#lastStep = step;
      answer = await this.post(path, { code: totp(this.totpSecret, step) });
      if (answer.status === 200) return;
    }
    throw new Breach(`the second factor was refused: ${answer?.status} ${answer?.brief()}`);
  }

  /** Accepts an invitation: password and second factor. */
  async accept(url: string, password: string): Promise<void> {
    const token = /[?#&/](?:token=)?([A-Za-z0-9_-]{16,})$/.exec(url)?.[1] ?? '';
    const accepted = await this.post('/app/invitation/accept', { token, password });
    if (accepted.status !== 200) throw new Breach(`the invitation was refused: ${accepted.status} ${accepted.brief()}`);
    const enrolled = (await this.post('/app/second-factor/enrolment')).is(200);
    this.totpSecret = enrolled.string('secret');
    const step = stepAt(Date.now());
    this.#lastStep = step;
    (await this.post('/app/second-factor/confirmation', { code: totp(this.totpSecret, step) })).is(200);
  }
}
