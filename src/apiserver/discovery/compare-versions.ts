/** Sorts v2, v1, v1beta2, v1beta1, v1alpha1, then others by name. */
export function compareVersions(a: string, b: string): number {
  const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/
  const left = pattern.exec(a)
  const right = pattern.exec(b)
  if (left === null || right === null) {
    if (left !== null) return -1
    return right === null ? a.localeCompare(b) : 1
  }
  const maturity = (match: RegExpExecArray): number => (match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0)
  return maturity(right) - maturity(left) || Number(right[1]) - Number(left[1]) || Number(right[3] ?? 0) - Number(left[3] ?? 0)
}
