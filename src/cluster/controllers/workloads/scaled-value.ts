import type { IntOrString } from '#api/scalars.ts'

/** A number, or a percentage of `total`; 0 for text that is no percentage. Pure. */
export function scaledValue(value: IntOrString, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  const percent = /^(\d+)%$/.exec(value)?.[1]
  if (percent === undefined) return 0
  const exact = (Number(percent) * total) / 100
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact)
}
