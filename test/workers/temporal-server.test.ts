import { afterAll, beforeAll, expect, test } from 'vitest';
import { isHealthy } from '../../workers/temporal-service.ts';
import { startTemporal, type TestTemporal } from '../support/temporal.ts';

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTemporal();
});
afterAll(async () => {
  await temporal.close();
});

test('the run’s Temporal answers, with the search attributes that people look for', async () => {
  expect(await isHealthy(temporal.address, temporal.namespace)).toBe(true);
});

test('its web UI stands where it says', async () => {
  const answer = await fetch(temporal.uiUrl);
  expect(answer.status).toBe(200);
});
