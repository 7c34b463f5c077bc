import { pods, persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { DiskCopyState, VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { volumeSnapshotClasses, volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import { found, until, type TestCluster } from '#features/cluster.fixture.ts'
import { importOf, runNode, startImportCluster, type ImportCluster } from '#features/data-volume/import-cluster.fixture.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { captured, makeVm } from '../snapshot.fixture.ts'

const namespace = 'default'
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const

/** Kinds of the snapshots of CSI drivers. */
export const snapshotKinds: NonNullable<Parameters<typeof startImportCluster>[1]> = [volumeSnapshots, volumeSnapshotClasses].map(
  (resource) =>
    defineResource({
      ...resource,
      schema: { ...anything, properties: { spec: anything, status: anything } },
      hasStatus: resource.namespaced,
      hasGeneration: true,
      custom: true,
      unconditionalUpdate: false,
    }),
)

const creationTime = '2026-01-01T00:00:00Z'

/** A VM with a claim of its own, a DataVolume of a template, and a volume in memory. */
const withVolumes: Partial<VirtualMachineSpec> = {
  dataVolumeTemplates: [
    { metadata: { name: 'web-root' }, spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '64Mi' } } } } },
  ],
  template: {
    spec: {
      domain: { devices: { disks: ['root', 'data', 'scratch'].map((name) => ({ name, disk: {} })) } },
      volumes: [
        { name: 'root', dataVolume: { name: 'web-root' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'web-data' } },
        { name: 'scratch', emptyDisk: { capacity: '1Gi' } },
      ],
    },
  },
}

/** Creates the VM, with its claims bound and filled. */
export async function makeStoredVm(cluster: TestCluster, spec: Partial<VirtualMachineSpec> = {}): Promise<void> {
  await cluster.client.create(dataVolumes, importOf('web-data', { blank: {} }, '32Mi'))
  await makeVm(cluster, { ...withVolumes, ...spec })
  await captured(cluster)
  for (const name of ['web-root', 'web-data'])
    await until(async () => (await found(cluster.client, dataVolumes, name))?.status?.phase === 'Succeeded')
}

/** Creates a guest of the VM that runs on a node, with its launcher pod. */
export async function runGuest({ client }: TestCluster): Promise<VirtualMachineInstance> {
  const { metadata, spec } = await client.get(virtualMachines, { namespace, name: 'web' })
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: metadata.uid ?? '', controller: true }
  const vmi = await client.create<VirtualMachineInstance>(virtualMachineInstances, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace, ownerReferences: [owner], labels: { 'kubevirt.io/nodeName': 'one' } },
    spec: { ...spec.template.spec },
    status: { phase: 'Running', nodeName: 'one' },
  })
  const { uid = '' } = vmi.metadata
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'virt-launcher-web',
      namespace,
      labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': uid },
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid, controller: true }],
    },
    spec: { nodeName: 'one', containers: [{ name: 'compute', image: 'launcher' }] },
  }
  await client.create(pods, pod)
  await client.patch(
    pods,
    { namespace, name: pod.metadata.name },
    { type: 'merge', body: { status: { phase: 'Running' } } },
    { subresource: 'status' },
  )
  return vmi
}

/** Options of {@link runStorage}. */
export interface StorageOptions {
  /** What the node agent says of copies. Default: that they are complete. */
  readonly copied?: Omit<DiskCopyState, 'id'>
}

/**
 * Plays kubelets, node agents and a CSI driver until it is disposed: binds claims, fills
 * DataVolumes, copies disks of guests and takes VolumeSnapshots.
 */
export function runStorage(
  cluster: ImportCluster,
  { copied = { phase: 'Complete', startTime: creationTime, quiesce: 'NoGuestAgent' } }: StorageOptions = {},
): AsyncDisposable {
  const { client } = cluster
  const node = runNode(cluster)
  const stop = new AbortController()
  const setStatus = (resource: Parameters<typeof client.patch>[0], name: string, status: object): Promise<unknown> =>
    client.patch(resource, { namespace, name }, { type: 'merge', body: { status } }, { subresource: 'status' })
  const turn = async (): Promise<void> => {
    for (const { metadata, status } of (await client.list(pods, { namespace, labelSelector: 'kubevirt.io=hotplug-disk' })).items)
      if (status?.phase === 'Pending') await setStatus(pods, metadata.name ?? '', { phase: 'Running' })
    for (const { metadata, status } of (await client.list(virtualMachineInstances, { namespace })).items) {
      const { diskCopy, diskCopyState } = status?.steadyvm ?? {}
      const next = !diskCopy ? null : { ...(diskCopy.disks.length === 0 ? { ...copied, phase: 'Held' } : copied), id: diskCopy.id }
      if (diskCopyState?.id === next?.id) continue
      const body = { status: { steadyvm: { diskCopyState: next } } }
      await client.patch(virtualMachineInstances, { namespace, name: metadata.name ?? '' }, { type: 'merge', body })
    }
    const drivers = await client.list(volumeSnapshotClasses).catch(() => undefined)
    if (drivers === undefined) return
    for (const { metadata, status } of (await client.list(volumeSnapshots, { namespace })).items)
      if (status?.readyToUse !== true)
        await setStatus(volumeSnapshots, metadata.name ?? '', { creationTime, readyToUse: true, restoreSize: '80Mi' })
  }
  const running = (async () => {
    while (!stop.signal.aborted) {
      await turn().catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
      await systemClock.sleep(10)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await node[Symbol.asyncDispose]()
    },
  }
}

/** Returns the names of all claims. */
export async function claimsOf({ client }: TestCluster): Promise<string[]> {
  return (await client.list(persistentVolumeClaims, { namespace })).items.map(({ metadata }) => metadata.name ?? '').toSorted()
}

/** Returns the claims or DataVolumes of the volumes of a VM. */
export async function volumesOf({ client }: TestCluster, name: string): Promise<(string | undefined)[]> {
  const { spec } = await client.get(virtualMachines, { namespace, name })
  return (spec.template.spec.volumes ?? []).map(
    ({ dataVolume, persistentVolumeClaim }) => dataVolume?.name ?? persistentVolumeClaim?.claimName,
  )
}
