import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { names } from '../names.ts'

/**
 * Name of the claim that is filled in place of a claim that names its content: provisioners leave
 * that one alone. The name is CDI's. Pure.
 */
export function primeName({ metadata: { uid = '' } }: PersistentVolumeClaim): string {
  return `prime-${uid}`
}

/**
 * Returns the claim that is filled, and whose volume the target gets then. It goes with the target.
 * Pure.
 */
export function primeOf(target: PersistentVolumeClaim): PersistentVolumeClaim {
  const { namespace = '', name = '', uid = '', annotations = {} } = target.metadata
  const { accessModes, resources, storageClassName, volumeMode, volumeAttributesClassName } = target.spec ?? {}
  const kept = [names.selectedNode, names.retainPod, names.preallocationRequested].filter((key) => annotations[key] !== undefined)
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: primeName(target),
      namespace,
      labels: { app: 'containerized-data-importer', 'velero.io/exclude-from-backup': 'true' },
      annotations: {
        [names.immediateBinding]: '',
        [names.contentType]: annotations[names.contentType] ?? 'kubevirt',
        ...Object.fromEntries(kept.map((key) => [key, annotations[key] ?? ''])),
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      ...(accessModes === undefined ? {} : { accessModes }),
      ...(resources === undefined ? {} : { resources }),
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    },
  }
}
