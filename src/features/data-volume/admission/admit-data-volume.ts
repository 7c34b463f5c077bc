import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { cdiConfigs } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { configName, importSettingsOf } from '#features/storage-profile/index.ts'
import { mayAdopt } from '../decide.ts'
import { names } from '../names.ts'
import { copiedObject } from '../source/source.ts'
import { mayClone, type Cloner } from './clone-access.ts'
import { validateDataVolumeSpec } from './validate-spec.ts'

/** What is wrong with an object, and what its author should know. */
interface Verdict {
  readonly causes: StatusCause[]
  readonly warnings: string[]
}

/** Dependencies of the admission. */
export interface DataVolumeAdmissionPorts {
  readonly client: Pick<Client, 'get' | 'create'>
  /** The request comes from a component, which has checked it. */
  readonly isComponent: boolean
}

const longestName = 253

/**
 * Judges a DataVolume that is created or changed. The spec never changes, and who copies a volume
 * of another namespace must have the right to.
 */
export async function admitDataVolume(
  ports: DataVolumeAdmissionPorts,
  dataVolume: DataVolume,
  request: AdmissionRequest,
): Promise<Verdict> {
  const old = (request.oldObject ?? undefined) as DataVolume | undefined
  const { name = '' } = dataVolume.metadata
  if (old !== undefined) {
    const causes = semanticEqual(dataVolume.spec, old.spec) ? [] : [cause('FieldValueDuplicate', 'spec', 'Cannot update DataVolume Spec')]
    return { causes, warnings: [] }
  }
  const shape = [
    ...(name.length > longestName
      ? [cause('FieldValueInvalid', 'metadata.name', `Name cannot be longer than ${longestName} characters`)]
      : []),
    ...validateDeadline(dataVolume),
    ...validateDataVolumeSpec(dataVolume.spec, 'spec'),
  ]
  if (shape.length > 0) return { causes: shape, warnings: [] }
  const namespace = request.namespace ?? dataVolume.metadata.namespace ?? ''
  const causes = [...(await validateTarget(ports, dataVolume, namespace)), ...(await validateAccess(ports, dataVolume, namespace, request))]
  return { causes, warnings: warningsOf(dataVolume) }
}

function validateDeadline({ metadata }: DataVolume): StatusCause[] {
  const deadline = metadata.annotations?.[names.deadline]
  if (deadline === undefined || (durationMs(deadline) ?? 0) > 0) return []
  return [cause('FieldValueInvalid', `metadata.annotations[${names.deadline}]`, `must be a duration such as 30m, and is "${deadline}"`)]
}

/** A claim of that name would never be filled, or be filled over what it has. */
async function validateTarget({ client }: DataVolumeAdmissionPorts, dataVolume: DataVolume, namespace: string): Promise<StatusCause[]> {
  const { name = '' } = dataVolume.metadata
  if (name === '') return []
  const claim = await found(client.get(persistentVolumeClaims, { namespace, name }))
  if (claim === undefined || controllerOf(claim)?.kind === 'DataVolume') return []
  const annotations = claim.metadata.annotations ?? {}
  if ([annotations[names.populatedFor], annotations[names.prePopulated]].includes(name)) return []
  const config = await found(client.get(cdiConfigs, { name: configName }))
  if (mayAdopt(dataVolume, importSettingsOf(config, undefined).adoptsClaims)) return []
  return [cause('FieldValueDuplicate', 'metadata.name', `Destination PVC ${namespace}/${name} already exists`)]
}

async function validateAccess(
  { client, isComponent }: DataVolumeAdmissionPorts,
  dataVolume: DataVolume,
  own: string,
  { userInfo }: AdmissionRequest,
): Promise<StatusCause[]> {
  if (isComponent) return []
  const namespace = sourceNamespace(dataVolume)
  if (namespace === undefined || namespace === own) return []
  const { username = '', groups = [], uid, extra } = userInfo
  const user: Cloner = {
    user: username,
    groups: [...groups],
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  }
  if (await mayClone(client, user, namespace)) return []
  const message = `User ${username} has insufficient permissions in clone source namespace ${namespace}: create on datavolumes/source is needed`
  return [cause('FieldValueInvalid', dataVolume.spec.sourceRef === undefined ? 'spec.source' : 'spec.sourceRef', message)]
}

/**
 * The namespace in the spec. Where a DataSource leads is not asked: it can change later, and the
 * controller follows it to no other namespace.
 */
function sourceNamespace({ spec: { source, sourceRef } }: DataVolume): string | undefined {
  if (sourceRef === undefined) return copiedObject(source)?.namespace
  return sourceRef.namespace === '' ? undefined : sourceRef.namespace
}

function warningsOf({ spec, metadata }: DataVolume): string[] {
  const { source, checkpoints = [], finalCheckpoint } = spec
  return [
    ...(source?.registry?.pullMethod === 'node'
      ? ['spec.source.registry.pullMethod is kept, but the worker of the DataVolume pulls the image, and not the node']
      : []),
    ...(checkpoints.length === 0 ? [] : ['spec.checkpoints is kept, but nothing acts on it yet']),
    ...(finalCheckpoint === undefined ? [] : ['spec.finalCheckpoint is kept, but nothing acts on it yet']),
    ...(metadata.annotations?.['cdi.kubevirt.io/storage.deleteAfterCompletion'] === undefined
      ? []
      : ['the annotation cdi.kubevirt.io/storage.deleteAfterCompletion has no effect: DataVolumes stay when they have succeeded']),
  ]
}

function cause(reason: string, field: string, message: string): StatusCause {
  return { reason, message, field }
}
