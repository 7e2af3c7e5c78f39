import type { Driver } from '../driver/driver.ts';

/** Questions in a row without an answer, after which no more are asked. */
const maxSilent = 4;

/** A driver that gives up where a module has not answered several questions in a row: thousands of waits would be days. */
export function bounded(driver: Driver): Driver {
  let silent = 0;
  let last: Awaited<ReturnType<Driver['run']>> | undefined;
  const { fetchFile } = driver;
  return {
    transport: driver.transport,
    address: driver.address,
    chunkBytes: driver.chunkBytes,
    close: () => driver.close(),
    ...(fetchFile && { fetchFile: (name: string, maxBytes: number) => fetchFile.call(driver, name, maxBytes) }),
    async run(line, options) {
      if (silent >= maxSilent && last) return last;
      const answered = await driver.run(line, options);
      const isSilent = !answered.ok && ['silent', 'garbled', 'restarted'].includes(answered.error.error);
      silent = isSilent ? silent + 1 : 0;
      last = answered;
      if (silent >= maxSilent && !answered.ok)
        last = { ok: false, error: { error: 'unreachable', detail: `${answered.error.detail}, ${maxSilent} times` } };
      return last;
    },
  };
}
