import type { Pod } from '#api/core/v1/pod.ts'
import { indexKey } from '../names.ts'

/** Parses `1,3-5`. Invalid parts are ignored. Pure. */
export function parseIndexes(text: string | undefined): ReadonlySet<number> {
  const indexes = new Set<number>()
  for (const part of (text ?? '').split(',')) {
    const range = /^(\d+)(?:-(\d+))?$/.exec(part)
    if (range === null) continue
    const [first, last] = [Number(range[1]), Number(range[2] ?? range[1])]
    for (let index = first; index <= last; index++) indexes.add(index)
  }
  return indexes
}

/** Writes `1,3-5`: two in a row are a list, more are a range. Pure. */
export function formatIndexes(indexes: Iterable<number>): string {
  const parts: string[] = []
  let run: number[] = []
  const flush = (): void => {
    if (run.length > 2) parts.push(`${run[0] ?? ''}-${run.at(-1) ?? ''}`)
    else parts.push(...run.map(String))
    run = []
  }
  for (const index of [...indexes].toSorted((a, b) => a - b)) {
    if (run.length > 0 && index !== (run.at(-1) ?? 0) + 1) flush()
    run.push(index)
  }
  flush()
  return parts.join(',')
}

/** The index of a pod; undefined when it has none. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexKey] ?? metadata.labels?.[indexKey]
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
