/** Returns numbers in [0, 1), for jitter. Not for secrets. */
export type Random = () => number

/** The platform's randomness. */
export const systemRandom: Random = () => (globalThis.crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32
