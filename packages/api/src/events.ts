import { binary, endpoint } from './endpoint.ts';

/** What the event stream of a caller tells: `log`, with the record of the log. */
export const eventTypes = ['log'] as const;

/** What happens, as it happens. */
export const eventsContract = {
  stream: endpoint({
    method: 'GET',
    path: '/api/events',
    spec: ['API-EP-GET-events'],
    tag: 'Logs',
    summary: 'Server-sent events: every log that you may read, within a second or so of being written',
    description: 'Quiet types (`ota.check`, `ota.none`, `device.message`) are left out, as in the list of logs.',
    auth: 'bearer',
    reply: binary('text/event-stream'),
    errors: [401],
  }),
};
