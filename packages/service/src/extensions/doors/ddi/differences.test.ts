import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { type DoorWorld, doorWorld } from '../../../testing/door-world.ts';
import { eachDatabase } from '../../../testing/index.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
/** When a request is made in the life of an update: `{id}` of its address is the id of that update. */
type When = 'offered' | 'done' | 'failed' | 'cancelled' | 'waiting for a consent';

const json = { 'content-type': 'application/json' };
const status = (execution: string, finished: string, details: readonly string[] = []) => ({
  status: { execution, result: { finished }, details },
});
const long = 'x'.repeat(300);

/**
 * Requests of clients, the status that the documentation of this interface has for each, and the one here. Where they
 * differ, the last column says why.
 */
const rows: readonly (readonly [
  request: string,
  when: When,
  method: Method,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  documented: number,
  here: number,
  why?: string,
])[] = [
  ['the base', 'offered', 'GET', '', undefined, {}, 200, 200],
  ['a wrong method on the base', 'offered', 'POST', '', {}, json, 405, 405],
  ['a method that nothing has', 'offered', 'OPTIONS', '', undefined, {}, 405, 405],
  ['attributes', 'offered', 'PUT', 'configData', { data: { a: 'b' } }, json, 200, 200],
  ['attributes by a wrong method', 'offered', 'POST', 'configData', { data: {} }, json, 405, 405],
  ['attributes of another type', 'offered', 'PUT', 'configData', '{}', { 'content-type': 'text/plain' }, 415, 415],
  ['attributes as HAL', 'offered', 'PUT', 'configData', '{}', { 'content-type': 'application/hal+json' }, 415, 415],
  ['attributes without data', 'offered', 'PUT', 'configData', {}, json, 400, 400],
  [
    'a long name of an attribute',
    'offered',
    'PUT',
    'configData',
    { data: { [long]: 'b' } },
    json,
    400,
    200,
    'it would be sent for ever',
  ],
  [
    'a long value of an attribute',
    'offered',
    'PUT',
    'configData',
    { data: { a: long } },
    json,
    400,
    200,
    'it would be sent for ever',
  ],
  ['a deployment', 'offered', 'GET', 'deploymentBase/{id}?c=3', undefined, {}, 200, 200],
  ['a deployment that there is not', 'offered', 'GET', 'deploymentBase/999999', undefined, {}, 404, 404],
  ['a deployment before the consent', 'waiting for a consent', 'GET', 'deploymentBase/{id}', undefined, {}, 404, 404],
  ['a deployment by a wrong method', 'offered', 'DELETE', 'deploymentBase/{id}', undefined, {}, 405, 405],
  ['feedback', 'offered', 'POST', 'deploymentBase/{id}/feedback', status('proceeding', 'none'), json, 200, 200],
  ['feedback without a status', 'offered', 'POST', 'deploymentBase/{id}/feedback', {}, json, 400, 400],
  [
    'feedback of another type',
    'offered',
    'POST',
    'deploymentBase/{id}/feedback',
    '{}',
    { 'content-type': 'text/plain' },
    415,
    415,
  ],
  [
    'feedback by a wrong method',
    'offered',
    'PUT',
    'deploymentBase/{id}/feedback',
    status('proceeding', 'none'),
    json,
    405,
    405,
  ],
  [
    'feedback before the consent',
    'waiting for a consent',
    'POST',
    'deploymentBase/{id}/feedback',
    status('closed', 'success'),
    json,
    404,
    404,
  ],
  [
    'many details',
    'offered',
    'POST',
    'deploymentBase/{id}/feedback',
    status('proceeding', 'none', Array(200).fill('x')),
    json,
    403,
    200,
    'they would be sent for ever',
  ],
  [
    'success, said again',
    'done',
    'POST',
    'deploymentBase/{id}/feedback',
    status('closed', 'success'),
    json,
    410,
    200,
    'its answer was lost',
  ],
  [
    'failure after success',
    'done',
    'POST',
    'deploymentBase/{id}/feedback',
    status('closed', 'failure'),
    json,
    410,
    410,
  ],
  [
    'progress after success',
    'done',
    'POST',
    'deploymentBase/{id}/feedback',
    status('proceeding', 'none'),
    json,
    410,
    410,
  ],
  [
    'success after failure',
    'failed',
    'POST',
    'deploymentBase/{id}/feedback',
    status('closed', 'success'),
    json,
    410,
    200,
    'the device runs it',
  ],
  [
    'feedback of what is cancelled',
    'cancelled',
    'POST',
    'deploymentBase/{id}/feedback',
    status('proceeding', 'none'),
    json,
    200,
    200,
  ],
  ['what is installed', 'done', 'GET', 'installedBase/{id}', undefined, {}, 200, 200],
  ['what is not installed yet', 'offered', 'GET', 'installedBase/{id}', undefined, {}, 404, 404],
  [
    'what has failed, as installed',
    'failed',
    'GET',
    'installedBase/{id}',
    undefined,
    {},
    200,
    404,
    'it is not installed',
  ],
  ['a cancel', 'cancelled', 'GET', 'cancelAction/{id}', undefined, {}, 200, 200],
  ['a cancel of what goes on', 'offered', 'GET', 'cancelAction/{id}', undefined, {}, 404, 404],
  [
    'a cancel that is confirmed',
    'cancelled',
    'POST',
    'cancelAction/{id}/feedback',
    status('closed', 'success'),
    json,
    200,
    200,
  ],
  [
    'a cancel of what goes on, confirmed',
    'offered',
    'POST',
    'cancelAction/{id}/feedback',
    status('closed', 'success'),
    json,
    405,
    405,
  ],
  ['what waits for a consent', 'waiting for a consent', 'GET', 'confirmationBase/{id}', undefined, {}, 200, 200],
  ['a consent that is not asked for', 'offered', 'GET', 'confirmationBase/{id}', undefined, {}, 404, 404],
  [
    'a denial of what has begun',
    'offered',
    'POST',
    'confirmationBase/{id}/feedback',
    { confirmation: 'denied' },
    json,
    404,
    404,
  ],
  [
    'a consent to what is over',
    'done',
    'POST',
    'confirmationBase/{id}/feedback',
    { confirmation: 'confirmed' },
    json,
    410,
    410,
  ],
  [
    'a consent that is none',
    'waiting for a consent',
    'POST',
    'confirmationBase/{id}/feedback',
    { confirmation: 'maybe' },
    json,
    400,
    400,
  ],
  ['a consent to all', 'offered', 'POST', 'confirmationBase/activateAutoConfirm', {}, json, 200, 200],
  ['an unknown path', 'offered', 'GET', 'nothing', undefined, {}, 404, 404],
  [
    'files of what is no module',
    'offered',
    'GET',
    'softwaremodules/1/artifacts',
    undefined,
    {},
    404,
    400,
    'modules have the ids of bundles',
  ],
  [
    'HTML in the place of JSON',
    'offered',
    'GET',
    '',
    undefined,
    { accept: 'text/html' },
    406,
    200,
    'what a client accepts is a wish',
  ],
];

// API-DDI-base, API-DDI-config, API-DDI-deployment, API-DDI-feedback, API-DDI-installed, API-DDI-cancel, API-DDI-confirmation
eachDatabase('DDI beside its documentation', (open) => {
  let world: DoorWorld;
  beforeAll(async () => {
    world = await doorWorld(await open());
  });

  /** A client with an update that stands so. */
  async function updateThat(when: When, name: string) {
    const { product, bundleOf, tokenOf } = await world.openProduct();
    const params = { product_id: product.id };
    const doors = { ddi: true, mender: false, waiting: false, consent: when === 'waiting for a consent' };
    unwrap(await world.api.call('doors.set', { params, body: doors }));
    const release = await bundleOf('release');
    const client = world.ddiClient(name, `GatewayToken ${(await tokenOf('ddi')).token}`);
    const { _links } = (await client.poll()).body;
    const [, id = ''] = /(?:deployment|confirmation)Base\/(\d+)\?c=/.exec(JSON.stringify(_links)) ?? [];
    await client.call('GET', `deploymentBase/${id}`);
    if (when === 'done') await client.say(id, 'closed', 'success');
    if (when === 'failed') await client.say(id, 'closed', 'failure');
    if (when === 'cancelled') {
      unwrap(await world.api.call('bundles.setTag', { params: { bundle_id: release.id }, body: { tag: '' } }));
      await client.poll();
    }
    return { client, id };
  }

  const named = rows.map((row) => [row[0], row[1], row] as const);
  it.each(named)(
    '%s while it is %s',
    async (request, when, [, , method, url, body, headers, documented, here, why]) => {
      const { client, id } = await updateThat(when, request.replaceAll(/\W+/g, '-'));
      const path = url.replace('{id}', id);
      expect(await client.send(method, path, body, headers)).toBe(here);
      expect(why === undefined, 'a difference has a reason').toBe(documented === here);
    },
  );
});
