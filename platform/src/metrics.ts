/** Prometheus metrics of one process. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  /** Records one finished operation. */
  observe(operation: string, status: number, seconds: number): void;
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  gauge(name: string, help: string, measure: () => number): Gauge;
}

export function createMetrics(prefix: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: `${prefix}_` });
  const seconds = new Histogram({
    name: `${prefix}_http_request_seconds`,
    help: 'Time from the first byte understood to the answer written.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  /** Looking a child up by its labels costs more than observing. */
  const children = new Map<string, Map<number, ReturnType<typeof seconds.labels>>>();
  return {
    registry,
    observe(operation, status, value) {
      let ofOperation = children.get(operation);
      if (ofOperation === undefined) {
        ofOperation = new Map();
        children.set(operation, ofOperation);
      }
      let child = ofOperation.get(status);
      if (child === undefined) {
        child = seconds.labels(operation, String(status));
        ofOperation.set(status, child);
      }
      child.observe(value);
    },
    counter: (name, help, labels = []) =>
      new Counter({ name: `${prefix}_${name}`, help, labelNames: [...labels], registers: [registry] }),
    gauge: (name, help, measure) =>
      new Gauge({
        name: `${prefix}_${name}`,
        help,
        registers: [registry],
        collect() {
          this.set(measure());
        },
      }),
  };
}
