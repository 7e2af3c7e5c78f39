/** Smooths the strength of one access point over its last readings. Spec: MOD-VAR-wlan.rssi_average. */
export class SignalMeter<Point> {
  #point: Point | undefined;
  #samples: number[] = [];

  /** The mean of this reading and those before it, at most `count` in all; 0 and 1 do not smooth. */
  mean(point: Point, sampleDbm: number, count: number): number {
    if (point !== this.#point) this.#samples = [];
    this.#point = point;
    this.#samples = [...this.#samples, sampleDbm].slice(-Math.max(1, count));
    return Math.round(this.#samples.reduce((sum, sample) => sum + sample, 0) / this.#samples.length);
  }
}
