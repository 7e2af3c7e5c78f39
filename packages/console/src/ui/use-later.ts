import { useDeferredValue } from 'react';

/** False when something is drawn first, and true soon after, in a drawing that lets the browser do other work between. */
export const useLater = (): boolean => useDeferredValue(true, false);
