import type { VolumeCloneSource } from '#api/cdi/v1beta1/volume-clone-source.ts'
import type { VolumeImportSource } from '#api/cdi/v1beta1/volume-import-source.ts'
import type { VolumeUploadSource } from '#api/cdi/v1beta1/volume-upload-source.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { PopulationSource } from '../populator/population.ts'
import { validateContentType, validateSource } from './validate-spec.ts'

/** What is wrong with an object, and what its author should know. */
interface Verdict {
  readonly causes: readonly StatusCause[]
  readonly warnings: readonly string[]
}

/** CDI's limit. */
const longestName = 63

/**
 * Judges an object that claims are filled from, by CDI's rules. Its spec never changes, but for
 * that of a VolumeCloneSource. Pure.
 */
export function validatePopulationSource(kind: string, object: PopulationSource, old: PopulationSource | undefined): Verdict {
  if (kind === 'VolumeCloneSource') return { causes: validateClone(object as VolumeCloneSource), warnings: [] }
  if (old !== undefined) {
    const isSame = semanticEqual(object.spec, old.spec)
    return { causes: isSame ? [] : [cause('FieldValueDuplicate', 'spec', `Cannot update ${kind} Spec`)], warnings: [] }
  }
  const ofName = validateName(object.metadata)
  if (ofName.length > 0) return { causes: ofName, warnings: [] }
  if (kind === 'VolumeUploadSource') {
    const { contentType = '' } = (object as VolumeUploadSource).spec
    return { causes: validateContentType(contentType, 'spec'), warnings: [] }
  }
  return validateImport(object as VolumeImportSource)
}

function validateName({ name = '' }: ObjectMeta): StatusCause[] {
  return name.length > longestName
    ? [cause('FieldValueInvalid', 'metadata.name', `Name cannot be longer than ${longestName} characters`)]
    : []
}

function validateImport({ spec }: VolumeImportSource): Verdict {
  const { source = {}, contentType = '', checkpoints = [], finalCheckpoint } = spec
  const causes = [...validateContentType(contentType, 'spec'), ...validateSource(source, contentType, 'spec', 'VolumeImport')]
  const warnings = [
    ...(checkpoints.length === 0 ? [] : ['spec.checkpoints is kept, but nothing acts on it yet']),
    ...(finalCheckpoint === undefined ? [] : ['spec.finalCheckpoint is kept, but nothing acts on it yet']),
    ...(source.registry?.pullMethod === 'node'
      ? ['spec.source.registry.pullMethod is kept, but the worker pulls the image, and not the node']
      : []),
  ]
  return { causes: causes.slice(0, 1), warnings }
}

function validateClone({ spec: { source } }: VolumeCloneSource): StatusCause[] {
  const { apiGroup = '', kind, name } = source
  if (name === '') return [cause('FieldValueInvalid', 'spec.source.name', 'Required value: the name of a claim or a snapshot')]
  const groups: Readonly<Record<string, readonly string[]>> = {
    PersistentVolumeClaim: [''],
    VolumeSnapshot: ['', 'snapshot.storage.k8s.io'],
  }
  const known = Object.hasOwn(groups, kind) ? groups[kind] : undefined
  if (known === undefined)
    return [cause('FieldValueInvalid', 'spec.source.kind', `must be PersistentVolumeClaim or VolumeSnapshot, and is "${kind}"`)]
  if (known.includes(apiGroup)) return []
  return [cause('FieldValueInvalid', 'spec.source.apiGroup', `must be "${known.at(-1) ?? ''}" for a ${kind}, and is "${apiGroup}"`)]
}

function cause(reason: string, field: string, message: string): StatusCause {
  return { reason, message, field }
}
