/** Devices of a product that are woken in a minute where nothing else is said. */
export const usualWakesPerMinute = 1_000;

/** What extensions answer about the message channel. */
export interface ChannelHooks {
  /** How many devices of a product are woken for an update in a minute. */
  wakesPerMinute(productId: string): Promise<number>;
}
