import { binary, endpoint } from './endpoint.ts';

/** What happens, as it happens: events of the type `log`, each with the record of a log. */
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
    errors: [401, 409],
  }),
};
