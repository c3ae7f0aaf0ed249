import { afterEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '../metrics.js';
import { healthRoutes, metricsListener } from './health.js';
import { listen, type RunningServer } from './server.js';

describe('health and metrics', () => {
  const servers: RunningServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close(100);
  });
  const serve = async (listener: Parameters<typeof listen>[0]) => {
    const server = await listen(listener, { host: '127.0.0.1', port: 0 });
    servers.push(server);
    return server.url;
  };

  it('the health check queries the database once a second, for any number of callers', async () => {
    let at = 0;
    let checkCount = 0;
    let works = true;
    const routes = healthRoutes(
      async () => {
        checkCount++;
        if (!works) throw new Error('gone');
        return true;
      },
      () => at,
    );
    const url = await serve((request, response) => routes['/readyz']!(request, response));
    const statuses = async (count: number) =>
      Promise.all(Array.from({ length: count }, async () => (await fetch(url)).status));
    expect([await statuses(20), checkCount]).toEqual([Array(20).fill(200), 1]);
    works = false;
    at = 999;
    expect([await statuses(1), checkCount]).toEqual([[200], 1]);
    at = 1_000;
    expect([await statuses(20), checkCount]).toEqual([Array(20).fill(503), 2]);
    works = true;
    at = 500;
    expect([await statuses(1), checkCount]).toEqual([[200], 3]);
  });

  it('metrics have their own address, are written once a second, and stay without a database', async () => {
    let at = 0;
    let refreshCount = 0;
    const metrics = createMetrics('test');
    const url = await serve(
      metricsListener(
        metrics,
        () => at,
        async () => {
          refreshCount++;
          throw new Error('gone');
        },
      ),
    );
    metrics.observe('getThing', 200, 0.01);
    const scrape = async () => (await fetch(`${url}/metrics`)).text();
    expect(await scrape()).toContain('test_http_request_seconds_count{operation="getThing",status="200"} 1');
    metrics.observe('getThing', 200, 0.01);
    expect(await scrape()).toContain('status="200"} 1');
    at = 1_000;
    expect(await scrape()).toContain('test_http_request_seconds_count{operation="getThing",status="200"} 2');
    expect(refreshCount).toBe(2);
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  });
});
