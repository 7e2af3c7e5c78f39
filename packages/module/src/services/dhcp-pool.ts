/** How long an address that has been offered waits for its client, in ms. */
const offerMs = 60_000;

/** How long an address that another host seems to have is left alone, in ms. */
const declinedMs = 600_000;

interface Lease {
  readonly mac: string | undefined;
  readonly untilMs: number;
}

interface PoolOptions {
  /** Address of the module; leases are of the same /24. */
  readonly serverIp: string;
  /** How many addresses there are to give. */
  readonly size: number;
  readonly leaseMs: number;
}

/** The addresses that a DHCP server gives. Time is handed in, in ms of a clock that never goes back. */
export class DhcpPool {
  readonly #options: PoolOptions;
  readonly #leases = new Map<string, Lease>();
  readonly #addresses: readonly string[];

  constructor(options: PoolOptions) {
    this.#options = options;
    const network = options.serverIp.replace(/\d+$/, '');
    const hosts = Array.from({ length: 253 }, (_, index) => `${network}${index + 2}`);
    // From .2 on, without the module's own.
    this.#addresses = hosts.filter((address) => address !== options.serverIp).slice(0, options.size);
  }

  /** Keeps an address for a client for a while: the one that it has, the one that it wants, or a free one. */
  offer(mac: string, wanted: string | undefined, nowMs: number): string | undefined {
    const address = this.#choose(mac, wanted, nowMs);
    if (address !== undefined && this.#holder(address, nowMs) !== mac) this.#keep(address, mac, nowMs + offerMs);
    return address;
  }

  /** Gives a client the address, for the time of a lease. False when it cannot have it. */
  take(mac: string, address: string, nowMs: number): boolean {
    const holder = this.#holder(address, nowMs);
    if (!this.#addresses.includes(address) || (holder !== 'free' && holder !== mac)) return false;
    for (const [other, lease] of this.#leases) if (lease.mac === mac && other !== address) this.#leases.delete(other);
    this.#keep(address, mac, nowMs + this.#options.leaseMs);
    return true;
  }

  /** A client gives its address back. False when it is not its own. */
  release(mac: string, address: string): boolean {
    return this.#leases.get(address)?.mac === mac && this.#leases.delete(address);
  }

  /** A client has found that another host has the address. */
  decline(mac: string, address: string, nowMs: number): void {
    if (this.release(mac, address)) this.#leases.set(address, { mac: undefined, untilMs: nowMs + declinedMs });
  }

  #choose(mac: string, wanted: string | undefined, nowMs: number): string | undefined {
    const own = this.#addresses.find((address) => this.#holder(address, nowMs) === mac);
    if (own !== undefined) return own;
    const isFree = (address: string): boolean => this.#holder(address, nowMs) === 'free';
    if (wanted !== undefined && this.#addresses.includes(wanted) && isFree(wanted)) return wanted;
    return this.#addresses.find(isFree);
  }

  #holder(address: string, nowMs: number): string {
    const lease = this.#leases.get(address);
    if (!lease || lease.untilMs <= nowMs) return 'free';
    return lease.mac ?? 'declined';
  }

  #keep(address: string, mac: string, untilMs: number): void {
    this.#leases.set(address, { mac, untilMs });
  }
}
