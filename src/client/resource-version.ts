/**
 * Compares two resource versions of one resource: negative when `a` is older, undefined when they
 * cannot be compared. Kubernetes (1.35, KEP-5504) and this API server promise decimal numbers of
 * any length; other servers may use anything.
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || !isDecimal(a) || !isDecimal(b)) return undefined
  if (a.length !== b.length) return a.length - b.length
  return a === b ? 0 : a < b ? -1 : 1
}

function isDecimal(version: string): boolean {
  return /^[1-9][0-9]*$/.test(version)
}
