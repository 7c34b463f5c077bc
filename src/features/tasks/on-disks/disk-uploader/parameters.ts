import { ImportFailure } from '#importer/index.ts'
import { parseImageReference, type ImageReference } from '#importer/registry/index.ts'
import { badInput } from '../../exit-codes.ts'
import { objectName } from '../../objects/object-names.ts'
import type { TaskParameter } from '../../task.ts'
import type { ParameterValues } from '../../program/parameters.ts'

/** Parameters of the task. Upstream's. */
export const uploaderParameters: readonly TaskParameter[] = [
  { name: 'EXPORT_SOURCE_KIND', type: 'string', description: 'Kind of what has the disk: vm, vmsnapshot or pvc' },
  { name: 'EXPORT_SOURCE_NAME', type: 'string', description: 'Name of what has the disk' },
  {
    name: 'VOLUME_NAME',
    type: 'string',
    description: 'PersistentVolumeClaim of the disk; that of the source itself when its kind is pvc',
  },
  { name: 'IMAGE_DESTINATION', type: 'string', description: 'Image to push, such as quay.io/team/disk:v1' },
  { name: 'PUSH_TIMEOUT', type: 'string', default: '120', description: 'Minutes in which the image must be pushed' },
  {
    name: 'SECRET_NAME',
    type: 'string',
    description:
      'Secret with the login of the registry: keys accessKeyId and secretKey. The authority in its key ca.crt, if there is one, is trusted',
  },
]

/** Kinds of sources by upstream's names. */
const kinds = {
  vm: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine' },
  vmsnapshot: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot' },
  pvc: { apiGroup: '', kind: 'PersistentVolumeClaim' },
} as const

/** What is uploaded, and where to. */
export interface Upload {
  readonly source: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly volume: string
  readonly destination: ImageReference
  readonly pushTimeoutMs: number
}

/** Longest time for a push, in minutes: timers take no more. */
const mostMinutes = 30_000

/** Reads the parameters. @throws TaskFailed */
export function readUpload(parameters: ParameterValues): Upload {
  const kind = parameters.text('EXPORT_SOURCE_KIND')
  if (!isKind(kind)) throw badInput(`EXPORT_SOURCE_KIND must be one of ${Object.keys(kinds).join(', ')}, and is ${JSON.stringify(kind)}`)
  const minutes = parameters.text('PUSH_TIMEOUT')
  if (!/^[1-9]\d{0,4}$/.test(minutes) || Number(minutes) > mostMinutes)
    throw badInput(`PUSH_TIMEOUT must be minutes from 1 to ${mostMinutes}, and is ${JSON.stringify(minutes)}`)
  const destination = readDestination(parameters.text('IMAGE_DESTINATION'))
  const source = { ...kinds[kind], name: objectName(parameters, 'EXPORT_SOURCE_NAME') }
  const volume = objectName(parameters, 'VOLUME_NAME')
  if (kind === 'pvc' && volume !== source.name)
    throw badInput(`VOLUME_NAME must be ${JSON.stringify(source.name)}, the PersistentVolumeClaim itself, and is ${JSON.stringify(volume)}`)
  return { source, volume, destination, pushTimeoutMs: Number(minutes) * 60_000 }
}

function isKind(text: string): text is keyof typeof kinds {
  return Object.hasOwn(kinds, text)
}

function readDestination(text: string): ImageReference {
  try {
    const reference = parseImageReference(text)
    if (!reference.isDigest) return reference
  } catch (error) {
    if (!(error instanceof ImportFailure)) throw error
  }
  throw badInput(`IMAGE_DESTINATION must be an image with a tag, such as quay.io/team/disk:v1, and is ${JSON.stringify(text)}`)
}
