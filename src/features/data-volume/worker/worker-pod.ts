import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import type { ImportSettings } from '#features/storage-profile/index.ts'
import { workerPaths } from '#importer/index.ts'
import { isRemote, type FillOrder } from '../fill/order.ts'
import { names } from '../names.ts'
import { onNode } from './consumer-node.ts'
import { kindOf, purposeOf } from '../source/source.ts'
import { sourceFilesOf, taskOf, volumePaths } from './task-of.ts'
import { workerName } from './worker-name.ts'

/** Port on which a worker answers for its progress, and takes uploads. */
export const workerPort = 8443

/** User and group of workers, those of disks in KubeVirt's and CDI's volumes. */
const workerUser = 107

/** Annotations of a DataVolume that its worker gets, too: they concern networks of pods. */
const passedOn: readonly string[] = [
  'k8s.v1.cni.cncf.io/networks',
  'v1.multus-cni.io/default-network',
  'k8s.ovn.org/open-default-ports',
  'sidecar.istio.io/inject',
  'linkerd.io/inject',
]

/** Meshes would keep the pod running, and break its TLS. */
export const withoutMeshes: Readonly<Record<string, string>> = { 'sidecar.istio.io/inject': 'false', 'linkerd.io/inject': 'disabled' }

/** Security context of all pods of workers. */
export const unprivileged: NonNullable<Pod['spec']['securityContext']> = {
  runAsUser: workerUser,
  runAsGroup: workerUser,
  runAsNonRoot: true,
  fsGroup: workerUser,
  seccompProfile: { type: 'RuntimeDefault' },
}

/** Security context of their containers. */
export const withoutCapabilities: NonNullable<Container['securityContext']> = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
}

/** Variables that tell a worker where to listen, and how much memory it may use. */
export const serverVariables: NonNullable<Container['env']> = [
  // MiB. Short-lived objects are freed sooner, which saves 7 MiB and costs no time.
  { name: 'NODE_OPTIONS', value: '--max-semi-space-size=1' },
  { name: 'IMPORTER_PORT', value: String(workerPort) },
  { name: 'IMPORTER_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
]

/** Options of {@link workerPodOf}. */
export interface WorkerPodOptions {
  readonly image: string
  readonly settings: ImportSettings
  /** Name of the Secret with its certificate. */
  readonly secretName: string
  /** PEM of the authority of the worker's certificate. */
  readonly authority: string
  /** The only node on which it can have the volume. */
  readonly node?: string | undefined
}

/**
 * Returns the pod that fills a claim. Its process runs until the volume is filled, and starts again
 * with the kubelet's back-off when it fails. Pure.
 */
export function workerPodOf(order: FillOrder, { image, settings, secretName, authority, node }: WorkerPodOptions): Pod {
  const { claim, owner, source } = order
  const purpose = purposeOf(kindOf(source))
  const name = workerName(claim, purpose)
  const { namespace = '', uid = '' } = claim.metadata
  const { volumes, mounts, devices } = volumesOf(order, secretName)
  const { placement, imagePullSecrets, resources } = settings
  const inherited = Object.entries(order.annotations).filter(([key]) => passedOn.includes(key))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: {
        app: 'containerized-data-importer',
        'cdi.kubevirt.io': purpose === 'upload' ? 'cdi-upload-server' : 'importer',
        'prometheus.cdi.kubevirt.io': 'true',
        'app.kubernetes.io/component': 'storage',
        [names.fillsLabel]: uid,
      },
      annotations: {
        ...withoutMeshes,
        ...Object.fromEntries(inherited),
        [names.workerAuthority]: authority,
        // In machine mode pods share the network of the machine, and workers have one port.
        'steadyvm.io/own-address': 'true',
      },
      ownerReferences: [owner],
    },
    spec: {
      restartPolicy: 'OnFailure',
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      ...(order.serviceAccountName === undefined ? {} : { serviceAccountName: order.serviceAccountName }),
      ...(order.priorityClassName === undefined ? {} : { priorityClassName: order.priorityClassName }),
      ...(order.deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: order.deadlineSeconds }),
      terminationGracePeriodSeconds: 5,
      securityContext: unprivileged,
      ...placement,
      ...(node === undefined ? {} : { affinity: onNode(node, placement.affinity) }),
      ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: [...imagePullSecrets] }),
      containers: [
        {
          name: 'importer',
          image,
          env: [
            { name: 'IMPORTER_TASK', value: JSON.stringify(taskOf(order, settings)) },
            ...serverVariables,
            ...(mounts.some(({ name: mount }) => mount === 'scratch') ? [{ name: 'IMPORTER_SCRATCH', value: workerPaths.scratch }] : []),
          ],
          ports: [{ name: 'progress', containerPort: workerPort, protocol: 'TCP' }],
          // The kubelet reads the last lines of a worker that was killed.
          terminationMessagePolicy: 'FallbackToLogsOnError',
          resources,
          securityContext: withoutCapabilities,
          volumeMounts: mounts,
          ...(devices.length === 0 ? {} : { volumeDevices: devices }),
        },
      ],
      volumes,
    },
  }
}

interface WorkerVolumes {
  readonly volumes: Volume[]
  readonly mounts: NonNullable<Container['volumeMounts']>
  readonly devices: NonNullable<Container['volumeDevices']>
}

function volumesOf(order: FillOrder, secretName: string): WorkerVolumes {
  const { claim, source } = order
  const copied = isRemote(order) ? undefined : order.copied
  const { credentials, headers, authorities } = sourceFilesOf(source)
  const target = { name: 'target', persistentVolumeClaim: { claimName: claim.metadata.name ?? '' } }
  const isBlock = claim.spec?.volumeMode === 'Block'
  const copy =
    copied === undefined ? [] : [{ name: 'source', persistentVolumeClaim: { claimName: copied.metadata.name ?? '', readOnly: true } }]
  const isCopyBlock = copied?.spec?.volumeMode === 'Block'
  return {
    volumes: [
      target,
      ...copy,
      { name: 'serving', secret: { secretName } },
      ...(credentials === undefined ? [] : [{ name: 'credentials', secret: { secretName: credentials } }]),
      ...headers.map((secret, index) => ({ name: `headers-${index}`, secret: { secretName: secret } })),
      ...(authorities === undefined ? [] : [{ name: 'authorities', configMap: { name: authorities } }]),
      // A device has no room beside the disk for an image that must be converted.
      ...(isBlock ? [{ name: 'scratch', emptyDir: {} }] : []),
    ],
    mounts: [
      ...(isBlock ? [] : [{ name: 'target', mountPath: volumePaths.target }]),
      ...(copied === undefined || isCopyBlock ? [] : [{ name: 'source', mountPath: volumePaths.source, readOnly: true }]),
      { name: 'serving', mountPath: workerPaths.serving, readOnly: true },
      ...(credentials === undefined ? [] : [{ name: 'credentials', mountPath: workerPaths.credentials, readOnly: true }]),
      ...headers.map((_, index) => ({ name: `headers-${index}`, mountPath: `${workerPaths.headers}/${index}`, readOnly: true })),
      ...(authorities === undefined ? [] : [{ name: 'authorities', mountPath: workerPaths.authorities, readOnly: true }]),
      ...(isBlock ? [{ name: 'scratch', mountPath: workerPaths.scratch }] : []),
    ],
    devices: [
      ...(isBlock ? [{ name: 'target', devicePath: volumePaths.targetDevice }] : []),
      ...(isCopyBlock ? [{ name: 'source', devicePath: volumePaths.sourceDevice }] : []),
    ],
  }
}
