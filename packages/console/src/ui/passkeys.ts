/**
 * Whether passkeys work on this page, and the browser has any: pages without https have none.
 *
 * @param address where the service says that they are for
 */
export const pageHasPasskeys = (address: string | null | undefined): boolean =>
  address === window.location.origin && 'PublicKeyCredential' in window;
