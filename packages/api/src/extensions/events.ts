import Type, { type Static } from 'typebox';
import { liveEventTypes } from '../core/data.ts';
import { binary, endpoints } from '../endpoint.ts';
import { Id, Text } from '../fields.ts';

/** Devices that one stream may follow: so many ids with commas between them are as long as its parameter may be. */
export const followedDevicesLimit = 50;
const idLength = 36;

/** What an event of the type `device` carries. */
export const DeviceEvent = Type.Object({
  device_id: Id,
  type: Type.Enum([...liveEventTypes]),
  data: Type.Unknown(),
});
export type DeviceEvent = Static<typeof DeviceEvent>;

/** What happens, as it happens: events of the type `log`, each with the record of a log. */
export const eventsContract = endpoints(
  { tag: 'Logs' },
  {
    stream: {
      route: 'GET /api/events',
      limited: 'closed',
      access: 'user.self',
      summary: 'Server-sent events: every log that you may read, within a second or so of being written',
      description:
        'Quiet types (`ota.check`, `ota.none`, `device.message`) are left out, as in the list of logs. With `devices` there are ' +
        'also events of the type `device` with `device_id`, `type` and `data`: what the stream of each of these devices sends. ' +
        'Devices that you may not read, or no longer, send nothing. When more than 2,000 rows are written within a second, ' +
        'an event of the type `left_out` says in `count` how many older ones are not sent. Events of logs have ids: a client ' +
        'that comes back with the last one in the header `Last-Event-ID` gets what was written meanwhile, and perhaps some ' +
        'of the last seconds again, which the `id` of the log tells.',
      query: Type.Object({
        devices: Type.Optional(
          Text(followedDevicesLimit * (idLength + 1), {
            description: `ids of up to ${followedDevicesLimit} devices, separated by commas`,
          }),
        ),
      }),
      reply: binary('text/event-stream'),
      errors: [400, 401, 409],
    },
  },
);
