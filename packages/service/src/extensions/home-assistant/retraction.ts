import type { Db } from '../../engine/db/storage.ts';
import type { MqttLink, Outbound } from '../../engine/outbound/ports.ts';
import { type Place, type Topics, topicsOf } from './payloads.ts';
import { type AnnouncedPlace, announcementsOf, dropAnnouncement, dropPlace, type Login } from './queries.ts';

/** Takes a device back; false when the broker has not taken all of it. */
export async function takeBack(link: MqttLink, topics: Topics, uuid: string): Promise<boolean> {
  for (const topic of [topics.config(uuid), topics.availability(uuid), topics.state(uuid)]) {
    if (!(await link.retain(topic, ''))) return false;
  }
  return true;
}

/** A place that no connector announces at any more: what was announced there is taken back once its broker is there. */
export class Retraction {
  readonly #topics: Topics;
  readonly #link: MqttLink;
  readonly #placeId: string;

  constructor(outbound: Pick<Outbound, 'linkMqtt'>, { id, place, login }: AnnouncedPlace) {
    this.#placeId = id;
    // What is kept was made of such values.
    const where: Place = JSON.parse(place);
    const how: Login = JSON.parse(login);
    this.#topics = topicsOf(where);
    this.#link = outbound.linkMqtt({ ...how, url: where.url }, { connected() {}, message() {}, failed() {} });
  }

  /** Takes back what the broker takes now. True, and the place is forgotten, when nothing is left. */
  async look(db: Db): Promise<boolean> {
    if (!this.#link.isConnected) return false;
    for (const { device_id, uuid } of await announcementsOf(db, this.#placeId)) {
      if (!(await takeBack(this.#link, this.#topics, uuid))) return false;
      await dropAnnouncement(db, this.#placeId, device_id);
    }
    if (!(await this.#link.retain(this.#topics.status, ''))) return false;
    await dropPlace(db, this.#placeId);
    return true;
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}
