const shape = /^v?(\d+)\.(\d+)\.(\d+)/

/** Reports whether a text is a valid release version. Pure. */
export function isReleaseVersion(text: string): boolean {
  return text.startsWith('v') && shape.test(text)
}

/**
 * Compares two release versions by their three numbers: negative when `a` is older, positive when
 * it is newer. Texts that are no version come first. Pure.
 */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => shape.exec(text)?.slice(1).map(Number) ?? [-1, -1, -1])
  for (const index of [0, 1, 2]) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
