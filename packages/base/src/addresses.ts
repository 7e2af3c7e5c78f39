/** Whether an address literal stays on this machine: 127.0.0.0/8, ::1, and the former inside IPv6. */
export const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && (/^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address) || address === '::1');
