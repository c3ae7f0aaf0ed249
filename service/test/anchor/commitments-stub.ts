/** Stand-in for the service's hand-over. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export async function startStub(clock: () => number, indexCount = 2) {
  const commitments: any[] = [];
  const claims = new Map<number, number>();
  const iso = (at: number) => new Date(at).toISOString();
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const url = new URL(request.url!, 'http://x');
    const [, id, verb] = /commitments(?:\/(\d+)\/(\w+))?$/.exec(url.pathname)!;
    if (request.headers.authorization !== 'Bearer cpk_test') return answer(401, { code: 'unauthorized', error: 'No.' });
    if (id === undefined)
      return answer(200, {
        data: commitments.filter(({ state }) => state === url.searchParams.get('state')),
        next_cursor: null,
      });
    const commitment = commitments.find((one) => one.id === Number(id));
    const body = (await json(request)) as any;
    if (verb === 'claims') {
      const until = claims.get(commitment.id);
      const seen = body.ledger_read_until === undefined ? -1 : Date.parse(body.ledger_read_until);
      if (commitment.anchors.length > 0 || (until !== undefined && (clock() < until || seen < until)))
        return answer(409, { code: 'commitment_claimed', error: 'Another claim.' });
      claims.set(commitment.id, clock() + body.seconds * 1000);
      return answer(201, { claimed_until: iso(claims.get(commitment.id)!) });
    }
    const { checks, ...facts } = body;
    const known = commitment.anchors.find(({ tx }: any) => tx === facts.tx);
    const anchor = known ?? { ...facts, checks: [] };
    if (known === undefined) commitment.anchors.push(anchor);
    anchor.checks.push(...checks.map((check: object) => ({ ...check, at: iso(clock()) })));
    const last = new Map(anchor.checks.map((check: any) => [check.index, check.verdict]));
    const verdicts = [...last.values()];
    commitment.state = verdicts.includes('mismatch')
      ? 'contradicted'
      : verdicts.length === indexCount && verdicts.every((verdict) => verdict === 'match')
        ? 'anchored'
        : 'reported';
    answer(known === undefined ? 201 : 200, commitment);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commitments,
    make(period: string) {
      const id = commitments.length + 1;
      commitments.push({
        id,
        company_token: 'ks3q7c5m2nfyd4hz6a8x0rgtwe',
        period,
        merkle_root: createHash('sha256').update(String(id)).digest('hex'),
        made_at: iso(clock()),
        state: 'made',
        anchors: [],
      });
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
