import { describe, expect, test } from 'vitest';
import { get, line, replies, until } from '../testing/web-lines.ts';
import { webRig, webWires } from '../testing/web-rig.ts';

describe.each(webWires)('over %s', (wire) => {
  // What a proxy in front takes for one request must not be two.
  test.each([
    [
      'a length and pieces',
      'POST /command HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header that ends in LF alone', 'POST /command HTTP/1.1\r\nX: y\nContent-Length: 0\r\n\r\n'],
    [
      'a length and pieces, with LF alone',
      'POST /command HTTP/1.1\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n',
    ],
    ['two lengths, with LF alone', 'POST /command HTTP/1.1\nContent-Length: 0\nContent-Length: 60\n\n'],
    ['a good request, with LF alone', 'GET /command/version HTTP/1.1\n\n'],
  ])('nothing runs behind a request that has %s', async (_, request) => {
    const rig = await webRig({ wire });
    const sent = await line(rig);
    sent.stream.write(request + get('set wlan.ssid smuggled'));
    await until(sent.ended);
    const asked = await line(rig);
    asked.stream.write(get('get wlan.ssid'));
    await until(() => replies(asked.received()).length === 1);
    expect(replies(asked.received())[0]?.response).toBe('harbour-open\r\n');
    await rig.close();
  });
});
