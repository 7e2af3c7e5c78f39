/** Upper ends of the classes of durations, in seconds. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Answered requests of one route with one status. */
export interface TrafficCell {
  readonly listener: string;
  readonly method: string;
  /** Template, as the router has it. */
  readonly route: string;
  readonly status: number;
  /** How many took up to each bound, and longer than all of them; not added up. */
  readonly counts: number[];
  /** Seconds of all of them together. */
  sum: number;
}

/** Counts the answers of one route. */
export type CountAnswer = (status: number, durationMs: number) => void;

/**
 * Counts requests by route, status and duration. A busy server does this for every request, so it is two look-ups and
 * two additions; texts are made on request.
 */
export class Traffic {
  readonly #cells: TrafficCell[] = [];
  readonly #routes = new Map<string, CountAnswer>();

  get cells(): readonly TrafficCell[] {
    return this.#cells;
  }

  /** The counter for the answers of one route. */
  route(listener: string, method: string, route: string): CountAnswer {
    const key = `${listener} ${method} ${route}`;
    const known = this.#routes.get(key) ?? this.#makeRoute(listener, method, route);
    this.#routes.set(key, known);
    return known;
  }

  #makeRoute(listener: string, method: string, route: string): CountAnswer {
    const ofStatus = new Map<number, TrafficCell>();
    return (status, durationMs) => {
      let cell = ofStatus.get(status);
      if (!cell) {
        const counts = Array<number>(durationBounds.length + 1).fill(0);
        cell = { listener, method, route, status, counts, sum: 0 };
        ofStatus.set(status, cell);
        this.#cells.push(cell);
      }
      const seconds = durationMs / 1000;
      let at = 0;
      while (at < durationBounds.length && seconds > (durationBounds[at] ?? 0)) at++;
      cell.counts[at] = (cell.counts[at] ?? 0) + 1;
      cell.sum += seconds;
    };
  }
}
