import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { decide, type Entry } from './decide.ts'
import { catalogueInstancetypes } from './instancetypes.ts'
import { cataloguePreferences } from './preferences.ts'

/** All objects of the catalogue by kind and name. */
const catalogue: ReadonlyMap<string, Entry> = new Map(
  [...catalogueInstancetypes(), ...cataloguePreferences()].map((entry) => [keyOf(entry), entry]),
)

/**
 * Warns users who write a catalogue object that their change will be reverted. The write is
 * allowed, because the catalogue may be disabled later and the object would then be theirs.
 */
export function warnOfCatalogue(object: Entry, { commonInstancetypes }: Pick<ClusterConfig, 'commonInstancetypes'>): string[] {
  const step = decide(object, commonInstancetypes ? catalogue.get(keyOf(object)) : undefined)
  const name = object.metadata?.name ?? ''
  if (step.kind === 'restore')
    return [`${name} belongs to the catalogue of the system, which takes this change back: give a copy another name`]
  if (step.kind === 'remove')
    return [`${name} is not in the catalogue of the system, which removes it: leave out its label app.kubernetes.io/managed-by`]
  return []
}

function keyOf({ kind = '', metadata }: Entry): string {
  return `${kind}/${metadata?.name ?? ''}`
}
