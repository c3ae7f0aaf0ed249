/** The view of operators and their machines: metrics, `/healthz` and `/readyz` on one listener. */
import { healthRoutes, metricsListener } from '@clockproof/platform/http/health';
import { listen } from '@clockproof/platform/http/server';
import { createMetrics } from '@clockproof/platform/metrics';
import type { AnchorNeeds } from './anchor-needs.js';
import type { PassOutcome } from './anchoring.js';
import type { AnchorConfig } from './config.js';

export interface Watching extends Required<Pick<AnchorNeeds, 'onCommand' | 'onFault'>> {
  /** @param outcome undefined if the service did not answer */
  onPass(outcome: PassOutcome | undefined): void;
  close(): Promise<unknown>;
}

export async function startWatching(
  { METRICS_ADDR, POLL_INTERVAL, ANCHOR_TIMEOUT }: AnchorConfig,
  clock: () => number,
): Promise<Watching> {
  const metrics = createMetrics('clockproof_anchor');
  const commands = metrics.counter('commands_total', 'Runs of ANCHOR_COMMAND, by outcome.', ['outcome']);
  const faultCount = metrics.counter('faults_total', 'Things that were wrong in a pass.');
  let last: PassOutcome | undefined;
  let passedAt = 0;
  let isCommandFailing = false;
  const gauge = (name: string, help: string, value: (outcome: PassOutcome) => number) =>
    metrics.gauge(name, help, () => (last === undefined ? Number.NaN : value(last)));
  gauge('waiting', 'Roots that are not on the ledger yet.', ({ waiting }) => waiting);
  gauge('unconfirmed', 'Roots on the ledger that not every index has confirmed.', ({ unconfirmed }) => unconfirmed);
  gauge('contradicted', 'Roots that an index contradicts.', ({ contradicted }) => contradicted);
  gauge('faults', 'Things that were wrong in the last pass.', ({ faults }) => faults.length);
  metrics.gauge('command_failing', '1 after a run of ANCHOR_COMMAND without a digest.', () => Number(isCommandFailing));
  gauge('overdue', 'Roots that are not anchored a day after they were made.', ({ overdue }) => overdue);
  metrics.gauge('last_pass_timestamp_seconds', 'When the last complete pass ended.', () => passedAt / 1_000);

  /** A pass may take as long as one command that hangs. */
  const isCurrent = () => clock() - passedAt <= 3 * POLL_INTERVAL + ANCHOR_TIMEOUT;
  const isReady = async () => last !== undefined && last.faults.length === 0 && !isCommandFailing && isCurrent();
  const routes = healthRoutes(isReady, clock);
  const metricsRoute = metricsListener(metrics, clock);
  const server =
    METRICS_ADDR === undefined
      ? undefined
      : await listen((request, response) => {
          const route = routes[request.url ?? ''];
          if (request.method === 'GET' && route !== undefined) route(request, response);
          else metricsRoute(request, response);
        }, METRICS_ADDR);
  return {
    onCommand(outcome) {
      commands.labels(outcome).inc();
      isCommandFailing = outcome !== 'written';
    },
    onFault: () => faultCount.inc(),
    onPass(outcome) {
      last = outcome;
      if (outcome === undefined) return;
      passedAt = clock();
      // The failed command had written, or another writer has.
      if (outcome.waiting === 0) isCommandFailing = false;
    },
    close: async () => server?.close(),
  };
}
