import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { mountPoints } from '#features/launcher/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { inContainer } from '../launcher/contained-pod.ts'
import { diskVolume, privateVolume } from '../launcher/launcher-volumes.ts'
import { names } from '../names.ts'
import { claimNameOf } from '../storage/volume-status.ts'

/** Options of {@link attachmentPodOf}. */
export interface AttachmentPodOptions {
  /** Image of launchers, with version. */
  readonly image: string
  readonly inContainer: boolean
  readonly isBlock: boolean
}

/** Selects attachment pods. */
export const attachmentSelector: string = `${names.appLabel}=${names.attachmentApp}`

/** Index of attachment pods by UID of their VMI. */
export const attachmentsByVmi = 'attachments'

/** Returns the cache of attachment pods, with index {@link attachmentsByVmi}. */
export function attachmentsIn(informers: InformerSet): Informer<Pod> {
  const attachments = informers.informer(pods, { labelSelector: attachmentSelector })
  attachments.addIndex(attachmentsByVmi, ({ metadata }) => [metadata.annotations?.[names.attachedVmiUidAnnotation] ?? ''])
  return attachments
}

/** Returns the key of the VMI that an attachment pod belongs to. */
export function attachedGuest({ metadata }: Pod): Request[] {
  const name = metadata.annotations?.[names.attachedVmiAnnotation]
  // Pods that attach targets of copies belong to a snapshot.
  return name === undefined ? [] : [{ namespace: metadata.namespace ?? '', name }]
}

/** Returns the name of the volume of a guest that an attachment pod is for. */
export function attachedVolume({ metadata }: Pod): string {
  return metadata.annotations?.[names.attachedVolumeAnnotation] ?? ''
}

/** Returns the UID of the launcher pod that an attachment pod belongs to. */
export function launcherUidOf({ metadata }: Pod): string {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? ''
}

/**
 * Builds the pod that attaches a volume to the node of a launcher pod, whose own volumes cannot
 * change. It is a launcher that is never released: the node agent opens the volume in its view, and
 * passes the descriptor to QEMU. The name is derived from the launcher and the claim, so that a
 * controller that was killed does not create a second pod.
 */
export function attachmentPodOf(vmi: VirtualMachineInstance, launcher: Pod, volume: Volume, options: AttachmentPodOptions): Pod {
  const { name = '', namespace = '', uid = '' } = vmi.metadata
  const claimName = claimNameOf(volume) ?? ''
  const podVolume = diskVolume(volume.name)
  const readOnly = volume.persistentVolumeClaim?.readOnly === true ? { readOnly: true } : {}
  const contained = options.inContainer ? inContainer : undefined
  const security = contained?.container.securityContext
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: attachmentPodName(launcher, volume),
      namespace,
      labels: { [names.appLabel]: names.attachmentApp },
      annotations: {
        [names.attachedVmiAnnotation]: name,
        [names.attachedVmiUidAnnotation]: uid,
        [names.attachedVolumeAnnotation]: volume.name,
        [names.mountsAnnotation]: 'none',
      },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          name: launcher.metadata.name ?? '',
          uid: launcher.metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      ...contained?.spec,
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      // It has nothing to do before it ends.
      terminationGracePeriodSeconds: 0,
      affinity: onNode(launcher.spec.nodeName ?? ''),
      // The guest is there already.
      tolerations: [{ operator: 'Exists' }],
      ...(launcher.spec.priorityClassName === undefined ? {} : { priorityClassName: launcher.spec.priorityClassName }),
      containers: [
        {
          name: names.attachmentApp,
          image: options.image,
          resources: { requests: { cpu: '10m', memory: '2M' }, limits: { cpu: '100m', memory: '80M' } },
          // What root opens through this container must stay where it was mounted.
          ...(security === undefined ? {} : { securityContext: { ...security, readOnlyRootFilesystem: true } }),
          volumeMounts: [
            { name: privateVolume, mountPath: mountPoints.private },
            ...(contained?.mounts ?? []),
            ...(options.isBlock ? [] : [{ name: podVolume, mountPath: mountPoints.claim(volume.name), ...readOnly }]),
          ],
          ...(options.isBlock ? { volumeDevices: [{ name: podVolume, devicePath: mountPoints.device(volume.name) }] } : {}),
        },
      ],
      volumes: [
        { name: privateVolume, emptyDir: {} },
        ...(contained?.volumes ?? []),
        { name: podVolume, persistentVolumeClaim: { claimName, ...readOnly } },
      ],
    },
  }
}

/** Returns the name of the pod that attaches a volume to the node of a launcher pod. */
export function attachmentPodName(launcher: Pod, volume: Volume): string {
  const identity = [launcher.metadata.uid, volume.name, claimNameOf(volume)].join('/')
  return `hp-volume-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`
}

/**
 * Reports whether a pod that exists is the one that was to be created. Another client may have
 * created one of that name, in whose view root would open files. Pure.
 */
export function isSamePod(found: Pod, wanted: Pod): boolean {
  return isDeepStrictEqual(essenceOf(found), essenceOf(wanted))
}

/** What decides which files a path in the pod leads to. */
function essenceOf(pod: Pod): unknown {
  const { containers, initContainers = [], ephemeralContainers = [], volumes = [] } = pod.spec
  return {
    launcher: launcherUidOf(pod),
    others: [...initContainers, ...ephemeralContainers].length,
    containers: containers.map(({ image, command, args, volumeMounts = [], volumeDevices = [], securityContext }) => ({
      image,
      command,
      args,
      mounts: volumeMounts.map(({ name, mountPath, subPath }) => [name, mountPath, subPath]),
      devices: volumeDevices.map(({ name, devicePath }) => [name, devicePath]),
      isReadOnly: securityContext?.readOnlyRootFilesystem,
    })),
    volumes: volumes.map(({ name, persistentVolumeClaim, csi, emptyDir }) => [
      name,
      persistentVolumeClaim?.claimName,
      csi?.driver,
      emptyDir !== undefined,
    ]),
  }
}

/** Not by the name of the node in the pod: the scheduler also binds the claim. */
function onNode(nodeName: string): NonNullable<Pod['spec']['affinity']> {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }]
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
}
