const units: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
]

/** Formats an age as kubectl does: `5s`, `12m`, `3h`, `40d`. Empty without a timestamp. */
export function formatAge(timestamp: string | undefined, nowMs: number): string {
  if (timestamp === undefined) return ''
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(timestamp)) / 1000))
  const [size, unit] = units.find(([length]) => seconds >= 2 * length) ?? [1, 's']
  return `${Math.floor(seconds / size)}${unit}`
}
