import { union } from '#apimachinery/fields/field-set.ts'
import type { ManagedSet } from '#apimachinery/fields/managers.ts'
import { identityOf, type Ownership } from './ownership-codec.ts'

const mostUpdaters = 10
const bucketName = 'ancient-changes'

/**
 * Merges the oldest updaters above ten into one entry per version. Appliers are kept, as their
 * fields decide what their next apply removes.
 */
export function capManagers(ownership: Ownership): Ownership {
  const { managers, times } = ownership
  if (managers.size <= mostUpdaters) return ownership
  const updaters = [...managers].filter(([, { applied }]) => !applied)
  if (updaters.length <= mostUpdaters) return ownership
  const when = (identity: string): string => times.get(identity) ?? ''
  updaters.sort(([a], [b]) => (when(a) === when(b) ? Number(a > b) - Number(a < b) : Number(when(a) > when(b)) - Number(when(a) < when(b))))
  const capped = new Map<string, ManagedSet>(managers)
  const cappedTimes = new Map(times)
  const firsts = new Map<string, string>()
  let count = updaters.length
  for (const [identity, set] of updaters) {
    if (count <= mostUpdaters) break
    const first = firsts.get(set.apiVersion)
    if (first === undefined) {
      firsts.set(set.apiVersion, identity)
      continue
    }
    const bucket = identityOf({ manager: bucketName, operation: 'Update', apiVersion: set.apiVersion })
    const before = capped.get(bucket) ?? capped.get(first)
    if (!capped.has(bucket)) capped.delete(first)
    capped.delete(identity)
    capped.set(bucket, { ...set, fields: union(set.fields, before?.fields ?? set.fields) })
    // The merged entry is as new as its newest part.
    const time = times.get(identity)
    if (time !== undefined) cappedTimes.set(bucket, time)
    count -= 1
  }
  return { managers: capped, times: cappedTimes }
}
