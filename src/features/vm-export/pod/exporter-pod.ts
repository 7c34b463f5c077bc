import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { launcherUser } from '#features/launcher/index.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import type { TlsLimits } from '#runtime/webhook/tls-limits.ts'
import { serverPaths, serverPort, serverUris, taskVariable, type ExportedVolume, type ExportTask } from '../export-task.ts'
import { names, podNameOf, serviceLabelOf, tokenSecretNameOf } from '../names.ts'
import type { SourceVolume } from '../source/source.ts'

/** What a pod is made of. */
export interface ExporterPodOptions {
  readonly volumes: readonly SourceVolume[]
  readonly hasManifests: boolean
  /** Image of the server, with version. */
  readonly image: string
  /** True if the kubelet runs containers. */
  readonly inContainer: boolean
  /** RFC 3339. */
  readonly deadline: string
  /** See {@link names.certificateParameters}. */
  readonly certificateParameters: string
  /** See {@link names.externalAddress}. */
  readonly externalAddress: string
  readonly tls: TlsLimits
  /** Ends the names of the objects that belong to this pod alone. */
  readonly suffix: string
}

/**
 * Builds the pod that serves an export. Its Secret and ConfigMap are made once it exists, and
 * belong to it: their names are new for each pod, so that none is taken for that of an earlier one.
 */
export function exporterPodOf(vmExport: VirtualMachineExport, options: ExporterPodOptions): Pod {
  const { namespace = '', labels, annotations } = vmExport.metadata
  const { volumes, hasManifests, image, inContainer, suffix } = options
  const parts = volumes.map(partOf)
  const files = [
    { name: names.servingVolume, mountPath: serverPaths.serving, readOnly: true },
    { name: names.tokenVolume, mountPath: serverPaths.token, readOnly: true },
    ...(hasManifests ? [{ name: names.manifestVolume, mountPath: serverPaths.manifests, readOnly: true }] : []),
  ]
  const task: ExportTask = {
    name: vmExport.metadata.name ?? '',
    deadline: options.deadline,
    volumes: parts.map(({ exported }) => exported),
    hasManifests,
    tls: options.tls,
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podNameOf(vmExport),
      namespace,
      labels: { ...labels, [names.appLabel]: names.app, [names.serviceLabel]: serviceLabelOf(vmExport) },
      annotations: {
        ...inherited(annotations),
        [names.certificateParameters]: options.certificateParameters,
        [names.externalAddress]: options.externalAddress,
        ...(inContainer ? {} : { [names.ownAddress]: 'true' }),
      },
      ownerReferences: [controllerReference(virtualMachineExports, vmExport)],
    },
    spec: {
      restartPolicy: 'Never',
      enableServiceLinks: false,
      // It has no business with the API server.
      automountServiceAccountToken: false,
      // It ends at once.
      terminationGracePeriodSeconds: 5,
      // Disks belong to the user of launchers. In machine mode to that of the VM, and to the group
      // that all pods of the namespace have.
      securityContext: {
        runAsNonRoot: true,
        runAsUser: launcherUser,
        runAsGroup: launcherUser,
        ...(inContainer ? { fsGroup: launcherUser } : {}),
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'exporter',
          image,
          // A kubelet forwards ports to the loopback address of a pod. In machine mode that is the
          // machine's, and the pod has an address of its own.
          args: [...(inContainer ? [] : ['--address=$(POD_IP)']), `--port=${serverPort}`],
          env: [
            { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
            { name: taskVariable, value: JSON.stringify(task) },
          ],
          ports: [{ name: 'export', containerPort: serverPort, protocol: 'TCP' }],
          // KubeVirt's.
          resources: { requests: { cpu: '100m', memory: '200Mi' }, limits: { cpu: '1', memory: '1Gi' } },
          readinessProbe: { httpGet: { scheme: 'HTTPS', path: serverUris.ready, port: serverPort }, periodSeconds: 5, timeoutSeconds: 5 },
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: [...files, ...parts.flatMap(({ mount }) => mount ?? [])],
          ...withDevices(parts.flatMap(({ device }) => device ?? [])),
        },
      ],
      volumes: [
        { name: names.servingVolume, secret: { secretName: servingSecretName(suffix) } },
        { name: names.tokenVolume, secret: { secretName: tokenSecretNameOf(vmExport) } },
        ...(hasManifests ? [{ name: names.manifestVolume, configMap: { name: manifestConfigMapName(suffix) } }] : []),
        ...parts.map(({ volume }) => volume),
      ],
    },
  }
}

interface VolumePart {
  readonly exported: ExportedVolume
  readonly volume: Volume
  readonly mount?: NonNullable<Container['volumeMounts']>[number]
  readonly device?: NonNullable<Container['volumeDevices']>[number]
}

/** Volumes have numbers, as two claims may have names that are the same as labels. */
function partOf({ name: exportedAs, claim, isDisk }: SourceVolume, index: number): VolumePart {
  const name = `claim-${index}`
  const claimName = claim.metadata.name ?? ''
  const volume = { name, persistentVolumeClaim: { claimName } }
  if (claim.spec?.volumeMode === 'Block') {
    const path = `${serverPaths.devices}/${name}`
    return { exported: { claim: exportedAs, path, isDisk: true }, volume, device: { name, devicePath: path } }
  }
  const path = `${serverPaths.fileSystems}/${name}`
  return { exported: { claim: exportedAs, path, isDisk }, volume, mount: { name, mountPath: path, readOnly: true } }
}

function withDevices(devices: NonNullable<Container['volumeDevices']>): Pick<Container, 'volumeDevices'> {
  return devices.length === 0 ? {} : { volumeDevices: devices }
}

/** Removes annotations that kubectl writes for the export itself. */
function inherited(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== 'kubectl.kubernetes.io/last-applied-configuration'))
}

function servingSecretName(suffix: string): string {
  return `virt-export-cert-${suffix}`
}

function manifestConfigMapName(suffix: string): string {
  return `virt-export-manifest-${suffix}`
}

/** Names of the objects that a pod waits for. Undefined: it has none. */
export function objectsOf({ spec }: Pod): { readonly secret: string | undefined; readonly configMap: string | undefined } {
  const volume = (name: string): Volume | undefined => spec.volumes?.find((one) => one.name === name)
  return { secret: volume(names.servingVolume)?.secret?.secretName, configMap: volume(names.manifestVolume)?.configMap?.name }
}
