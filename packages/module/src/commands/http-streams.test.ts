import { describe, expect, test } from 'vitest';
import { grounds, httpRig } from '../testing/http-rig.ts';

// MOD-STREAM-HTTP
describe.each(grounds)('on %s', (ground) => {
  test('a queued request is not sent by a reboot or a network that goes', async () => {
    let requests = 0;
    const rig = await httpRig(
      (_request, response) => {
        requests++;
        response.end();
      },
      { ground },
    );
    await rig.run(`hpo -o ${rig.base}/ text/plain`);
    await rig.run('network_down');
    await rig.run(`hpo -o ${rig.base}/ text/plain`);
    await rig.run('write 0 5', 'hello');
    await rig.module.reboot();
    await rig.settle();
    expect(requests).toBe(0);
    await rig.close();
  });

  // MOD-VAR-network.buffer.size
  test('an answer waits in the packet pool, and more than that is read in one go', async () => {
    const body = Buffer.alloc(99_000, 'moorage ');
    const rig = await httpRig((_request, response) => response.end(body), { ground });
    await rig.run(`hge ${rig.base}/`);
    await rig.settle();
    expect(await rig.run('get network.buffer.usage')).toMatch(/^0 rx:(7[5-9]|8\d),tx:0$/);
    expect(await rig.run('poll 0 -c')).toMatch(/^0 0,1,1[12]\d{3}$/);
    const startMs = rig.clock.monotonic();
    const read = await rig.run('read 0 99000');
    expect(read).toBe(`HTTP response: 200|[Closed: 0]|0 ${body}`);
    expect(rig.clock.monotonic()).toBe(startMs);
    expect(await rig.run('get network.buffer.usage')).toBe('0 rx:0,tx:0');
    await rig.close();
  });
});
