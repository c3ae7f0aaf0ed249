/** A browser, as far as the kit needs one: it keeps its cookies and names its origin. */
import type { Answer, Client, RequestContent } from '../kit/client.js';

export class Browser {
  readonly #client: Client;
  readonly #cookies = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client.with({ origin: client.base, 'sec-fetch-site': 'same-origin' });
  }

  async call(method: string, path: string, request: RequestContent = {}): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#client.call(method, path, {
      ...request,
      headers: { ...(cookie === '' ? {} : { cookie }), ...request.headers },
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
  post = (path: string, json?: unknown, request: RequestContent = {}) =>
    this.call('POST', path, json === undefined ? request : { ...request, json });
  patch = (path: string, json: unknown) => this.call('PATCH', path, { json });
  put = (path: string, json: unknown) => this.call('PUT', path, { json });
  delete = (path: string) => this.call('DELETE', path);
}
