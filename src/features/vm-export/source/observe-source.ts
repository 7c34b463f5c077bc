import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { messageOf, StatusError } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { CaptureFailed, describeConflicts, expandVirtualMachine, findMatchedObjects } from '#features/instancetype/index.ts'
import { contentName, readVolumeSnapshot } from '#features/snapshot/index.ts'
import { persistentStateClaimName, wantsPersistentState } from '#features/vmi/index.ts'
import type { Ports } from '../ports.ts'
import { claimSource } from './claim-source.ts'
import { claimsInUse, isActive } from './claims-in-use.ts'
import { claimsOfMachine } from './claims-of-machine.ts'
import { dataVolumeOf, holdsDisk, isFilled } from './content.ts'
import { backupsToExport, claimNameOfBackup, snapshotSource } from './snapshot-source.ts'
import { initializing, type SourceState, type SourceVolume } from './source.ts'
import { machineSource } from './vm-source.ts'

type SourcePorts = Pick<Ports, 'client' | 'vms' | 'vmis' | 'claims' | 'snapshots' | 'contents' | 'lookup' | 'config'>

/** Reads the source of an export. */
export async function observeSource(ports: SourcePorts, vmExport: VirtualMachineExport, signal: AbortSignal): Promise<SourceState> {
  const { namespace = '' } = vmExport.metadata
  const { kind, name } = vmExport.spec.source
  switch (kind) {
    case 'PersistentVolumeClaim': {
      const volume = await volumeOf(ports, namespace, name, false)
      const used = volume === undefined ? new Set() : await usedClaims(ports, namespace, signal)
      return claimSource({ namespace, name, volume, isInUse: used.has(name) })
    }
    case 'VirtualMachine':
      return observeMachine(ports, vmExport, signal)
    case 'VirtualMachineSnapshot':
      return observeSnapshot(ports, vmExport)
    default:
      // Admission refuses it. An object from before is left alone.
      return { volumes: [], isAvailable: false, ready: initializing }
  }
}

async function observeMachine(ports: SourcePorts, vmExport: VirtualMachineExport, signal: AbortSignal): Promise<SourceState> {
  const { namespace = '' } = vmExport.metadata
  const { name } = vmExport.spec.source
  const vm = ports.vms.get(namespace, name)
  if (vm === undefined) return machineSource({ namespace, name, vm: undefined, volumes: [], isIncomplete: false, isRunning: false })
  const { spec } = vm.spec.template
  const { disks, dumps } = claimsOfMachine(vm)
  const state = wantsPersistentState(spec) ? [persistentStateClaimName(name)] : []
  const wanted = disks.map((claim) => ({ claim, isDisk: true })).concat([...state, ...dumps].map((claim) => ({ claim, isDisk: false })))
  const volumes = (await Promise.all(wanted.map(({ claim, isDisk }) => volumeOf(ports, namespace, claim, isDisk)))).filter(
    (one) => one !== undefined,
  )
  const isMissing = (claim: string): boolean => ports.claims.get(namespace, claim) === undefined
  const used = volumes.length === 0 ? new Set<string>() : await usedClaims(ports, namespace, signal)
  const hardware = await expanded(ports, vm)
  // Read last: a launcher that is listed above has its VMI in the cache.
  const vmi = ports.vmis.get(namespace, name)
  return machineSource({
    namespace,
    name,
    ...hardware,
    volumes: volumes.map((volume) => ({ ...volume, isInUse: used.has(volume.claim.metadata.name ?? '') })),
    isIncomplete: (spec.volumes ?? []).some(({ dataVolume }) => dataVolume !== undefined && isMissing(dataVolume.name)),
    isRunning: vmi !== undefined && isActive(vmi),
  })
}

async function observeSnapshot(ports: SourcePorts, vmExport: VirtualMachineExport): Promise<SourceState> {
  const { namespace = '' } = vmExport.metadata
  const { name } = vmExport.spec.source
  const snapshot = ports.snapshots.get(namespace, name)
  const content =
    snapshot?.status?.readyToUse === true ? ports.contents.get(namespace, contentName(snapshot.metadata.uid ?? '')) : undefined
  if (content === undefined) return snapshotSource({ vmExport, snapshot, volumes: [] })
  const used = claimsInUse(ports.vmis.list(namespace), [])
  const volumes = await Promise.all(
    backupsToExport(content).map(async (backup) => {
      const claimName = claimNameOfBackup(vmExport, backup)
      const claim = ports.claims.get(namespace, claimName)
      const volumeSnapshot = claim === undefined ? await readVolumeSnapshot(ports, namespace, backup) : undefined
      return { backup, claimName, claim, volumeSnapshot, isInUse: used.has(claimName) }
    }),
  )
  const { metadata, spec } = content.spec.source.virtualMachine ?? {}
  const hardware = spec === undefined ? undefined : await expanded(ports, { metadata: { ...metadata, namespace }, spec })
  return snapshotSource({ vmExport, snapshot, volumes, hardware })
}

async function volumeOf(
  { client, claims }: SourcePorts,
  namespace: string,
  name: string,
  isDiskOfVm: boolean,
): Promise<(SourceVolume & { readonly isFilled: boolean }) | undefined> {
  const claim = claims.get(namespace, name)
  if (claim === undefined) return undefined
  const owner = dataVolumeOf(claim)
  // Read on demand: a cluster without CDI has none.
  const dataVolume: DataVolume | undefined =
    owner === undefined ? undefined : await found(client.get(dataVolumes, { namespace, name: owner }))
  return { name, claim, isDisk: holdsDisk(claim, dataVolume, isDiskOfVm), isFilled: isFilled(claim, dataVolume) }
}

/** Lists pods instead of caching all of the cluster: exports are few. */
async function usedClaims({ client, vmis }: SourcePorts, namespace: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { items } = await client.list(pods, { namespace, signal })
  return claimsInUse(vmis.list(namespace), items)
}

/** Writes the hardware of the VM into its spec, for a cluster without its instance type. */
async function expanded(
  { lookup, config }: SourcePorts,
  vm: VirtualMachine,
): Promise<{ vm: VirtualMachine } | { vm: undefined; problem: string }> {
  if (vm.spec.instancetype === undefined && vm.spec.preference === undefined) return { vm }
  try {
    const { instancetype, preference } = await findMatchedObjects(lookup, vm)
    const result = expandVirtualMachine(vm, instancetype?.object, preference?.object, config(), { keepsGuest: true })
    return result.conflicts === undefined ? { vm: result.vm } : { vm: undefined, problem: describeConflicts(result.conflicts) }
  } catch (error) {
    if (!(error instanceof CaptureFailed || (error instanceof StatusError && error.code < 500))) throw error
    return { vm: undefined, problem: messageOf(error) }
  }
}
