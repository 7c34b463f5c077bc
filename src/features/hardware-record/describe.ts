import type { HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'

/** Limits events, which are cut at 1,024 characters. */
const most = 6

/**
 * Summarizes changes in one line: `machine: type pc-q35-7.2 → pc-q35-10.0, device nic-a: mac …`.
 */
export function describeChanges(changes: readonly HardwareFactChange[], limit: number = most): string {
  const told = changes.slice(0, limit).map(describeChange)
  const rest = changes.length - told.length
  return told.join(', ') + (rest > 0 ? `, and ${rest} more` : '')
}

/** Describes a changed, added or removed fact. */
export function describeChange({ name, before, after }: HardwareFactChange): string {
  if (before === undefined) return `${name}: new, ${after ?? ''}`
  if (after === undefined) return `${name}: gone, was ${before}`
  const [was, is] = isList(name) ? difference(before, after) : [before, after]
  return `${name}: ${was} → ${is}`
}

/** Reduces two lists, such as eighty CPU features, to their differences. */
function difference(before: string, after: string): readonly [string, string] {
  const [was, is] = [before.split(' '), after.split(' ')]
  const without = was.filter((word) => !is.includes(word))
  const added = is.filter((word) => !was.includes(word))
  return [without.length === 0 ? 'as before' : `no ${without.join(' ')}`, added.length === 0 ? 'nothing new' : `also ${added.join(' ')}`]
}

function isList(name: string): boolean {
  return name === 'cpu: features'
}
