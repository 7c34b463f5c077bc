import type { CustomResourceConversion, CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'

/** What a definition shall be like. */
export interface Serving {
  /** The version that is switched on and off. */
  readonly version: string
  readonly served: boolean
  /** Who converts between it and the others. */
  readonly conversion: CustomResourceConversion
}

/**
 * What to change about a definition so that a version is served, or no longer; undefined when it is
 * so already, or the definition does not know the version. Both in one patch: a version that nobody
 * converts must not be served for a moment. Where objects are stored in the version, they are
 * converted also when it is not served.
 */
export function decide(definition: CustomResourceDefinition, { version, served, conversion }: Serving): object | undefined {
  const { versions, conversion: present = none } = definition.spec
  if (isBeingDeleted(definition) || !versions.some(({ name }) => name === version)) return undefined
  const isStored = definition.status?.storedVersions?.includes(version) === true
  const wanted = {
    conversion: served || isStored ? conversion : none,
    versions: versions.map((each) => (each.name === version ? { ...each, served } : each)),
  }
  const spec = createMergePatch({ conversion: present, versions }, wanted)
  return spec === undefined ? undefined : { spec }
}

const none: CustomResourceConversion = { strategy: 'None' }
