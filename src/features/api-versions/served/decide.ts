import type { CustomResourceConversion, CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'

/** Desired versions of a CRD. */
export interface Serving {
  /** Version that the gate controls. */
  readonly version: string
  readonly served: boolean
  /** Conversion between it and the other versions. */
  readonly conversion: CustomResourceConversion
}

/**
 * Returns the patch of a CRD that serves a version or stops serving it; undefined when nothing
 * changes or the CRD lacks the version. Conversion and version are in one patch: a version must
 * never be served without conversion. Conversion stays while objects are stored in the version.
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
