import { VirtualClock } from '@moorage/base';
import type { FoundModule } from '@moorage/gateway';
import { injectFetch } from '@moorage/service/engine/http/inject-fetch';
import { openRecords } from '@moorage/service/tables';
import { bundleScene } from '@moorage/service/testing/bundle-scene';
import { expect, test } from 'vitest';
import { throwingClient } from '../client/service-client.ts';
import { UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { type AskedAdoption, reportFoundModules } from './reports.ts';

const wall: FoundModule = {
  addresses: ['http://192.168.1.62:80', 'tcp:192.168.1.62:2000'],
  mac: '4C:55:CC:10:78:9B',
  ssid: 'harbour\u0000open',
  signalDbm: -61.5,
  hasPassword: false,
  by: ['broadcast'],
};

const reporterOf = (events: string[]): Reporter => ({
  event: (name) => void events.push(name),
  say: () => {},
  progress: () => ({ at() {}, end() {} }),
  status: () => {},
});

// API-RULE-gateways-1
test('a gateway tells what it has found, and adopts what is asked for at the service', async () => {
  const storage = await openRecords('sqlite::memory:');
  const scene = await bundleScene(storage);
  const product = await scene.addProduct();
  const service = throwingClient('http://service', scene.owner.token, [], injectFetch(scene.app.api));
  const clock = new VirtualClock(0);
  const asked: AskedAdoption[] = [];
  const events: string[] = [];
  const adopted = new Set<FoundModule>();
  let searches = 0;
  let refuses = true;
  let reports = 0;
  let stalls = false;
  const stop = reportFoundModules({
    clock,
    reporter: reporterOf(events),
    id: '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e',
    name: 'cellar',
    login: async () => {
      reports++;
      return service;
    },
    async search() {
      searches++;
      return [wall];
    },
    hasAdopted: (module) => adopted.has(module),
    async adopt(adoption) {
      asked.push(adoption);
      if (refuses) throw new UserError('It does not answer');
      if (stalls) await new Promise(() => {});
      adopted.add(wall);
    },
  });
  const found = async () => (await service.call('gateways.found', {})).value;
  /** Lets time pass until something is so: a round ends when the service has replied. */
  const pass = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await clock.advance(1_000);
  };
  await pass(async () => (await found()).length === 1);
  expect(await found()).toMatchObject([
    { address: wall.addresses[0], mac: wall.mac, ssid: 'harbour open', signal: null, has_password: false },
  ]);
  const body = { product_id: product.id };
  const ask = async () => service.call('gateways.adopt', { params: { found_id: (await found())[0]?.id ?? '' }, body });
  await ask();
  await pass(async () => asked.length === 1);
  expect(asked).toEqual([{ address: wall.addresses[0], mac: wall.mac, product_id: product.id }]);
  expect(events).toEqual(['not-adopted']);
  await pass(async () => (await found())[0]?.problem === 'It does not answer');
  refuses = false;
  await ask();
  await pass(async () => asked.length === 2);
  await pass(async () => (await found()).length === 0);
  const searched = searches;
  await clock.advance(60_000);
  await pass(async () => searches > searched);
  stalls = true;
  adopted.clear();
  await pass(async () => (await found()).length === 1);
  await ask();
  await pass(async () => asked.length === 3);
  await stop();
  const before = reports;
  await clock.advance(60_000);
  expect(reports).toBe(before);
  await scene.app.service.close();
  await storage.close();
});
