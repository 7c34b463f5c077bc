const shape = /^v?(\d+)\.(\d+)\.(\d+)/

/** Whether something can be the version of a release. Pure. */
export function isReleaseVersion(text: string): boolean {
  return text.startsWith('v') && shape.test(text)
}

/**
 * Whether one release is older (less than 0) than another, newer (more than 0) or neither, by the
 * three numbers; whatever else there is comes before all of them. Pure.
 */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => shape.exec(text)?.slice(1).map(Number) ?? [-1, -1, -1])
  for (const index of [0, 1, 2]) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
