import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { HotplugVolumeSource, Volume } from '#api/kubevirt/v1/volume.ts'
import { badRequest, conflict, invalid, isConflict, type StatusError } from '#apimachinery/errors.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { isGateOpen, type ClusterConfig } from '#features/cluster-config/index.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest, guestSubject } from './guest.ts'
import { invalidBody, parseOptions, readDryRun } from './parse-body.ts'
import { getMachine, virtualMachineSubject } from './virtual-machine-subject.ts'

/** Dependencies of the subresources of volumes. */
export interface VolumeOptions {
  readonly client: Pick<Client, 'get' | 'patch'>
  readonly config: () => Pick<ClusterConfig, 'featureGates'>
}

/** A request to plug or to unplug a volume. */
export type VolumeRequest =
  | { readonly kind: 'add'; readonly name: string; readonly disk: Disk; readonly source: HotplugVolumeSource }
  | { readonly kind: 'remove'; readonly name: string }

/** Attempts after conflicts with the controllers. */
const attempts = 5

const gates = { declarative: 'DeclarativeHotplugVolumes', imperative: 'HotplugVolumes' } as const

/**
 * Handles `PUT virtualmachines/<name>/addvolume|removevolume`: changes the VM as its user would,
 * from where the volume reaches the guest.
 */
export function changeVolumesOfMachine(options: VolumeOptions, kind: VolumeRequest['kind']): AggregatedHandler {
  return async ({ namespace, name, body, signal }) => {
    const { request, dryRun } = readRequest(options, kind, body)
    const { client } = options
    return repeated(async () => {
      const vm = await getMachine(client, namespace, name, signal)
      const { volumes, disks } = changed(vm.spec.template.spec, request, (why) => conflict(virtualMachineSubject, name, why))
      if (request.kind === 'add') checkDisk(request, { kind: 'VirtualMachine', name })
      const spec = { template: { spec: { volumes, domain: { devices: { disks } } } } }
      return () => patchIfUnchanged(client, virtualMachines, vm, { spec }, { dryRun })
    })
  }
}

/**
 * Handles `PUT virtualmachineinstances/<name>/addvolume|removevolume`: the volume is gone with the
 * guest.
 */
export function changeVolumesOfGuest(options: VolumeOptions, kind: VolumeRequest['kind']): AggregatedHandler {
  return async ({ namespace, name, body }) => {
    const { request, dryRun } = readRequest(options, kind, body)
    const { client, config } = options
    return repeated(async () => {
      const vmi = await getGuest(client, namespace, name)
      // With the declarative gate alone the VM would take the change back.
      if (isOwned(vmi) && !isGateOpen(gates.imperative, config().featureGates))
        throw badRequest(`VMI ${namespace}/${name} is owned by a VM`)
      if (vmi.status?.phase !== 'Running') throw conflict(guestSubject, name, 'VMI is not running')
      const { volumes, disks } = changed(vmi.spec, request, (why) => conflict(guestSubject, name, why))
      if (request.kind === 'add') checkDisk(request, { kind: 'VirtualMachineInstance', name })
      const spec = { volumes, domain: { devices: { disks } } }
      return () => patchIfUnchanged(client, virtualMachineInstances, vmi, { spec }, { dryRun })
    })
  }
}

/** Decides again when a controller was faster. What is refused is not tried again. */
async function repeated(decide: () => Promise<() => Promise<unknown>>): Promise<{ code: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const write = await decide()
    try {
      await write()
      return { code: 202 }
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error
    }
  }
}

function isOwned(vmi: VirtualMachineInstance): boolean {
  return controllerOf(vmi)?.kind === 'VirtualMachine'
}

/** Refuses requests while the cluster does not allow hotplug. @throws StatusError 400 */
export function checkHotplugGates({ config }: Pick<VolumeOptions, 'config'>): void {
  const { featureGates } = config()
  if (!isGateOpen(gates.declarative, featureGates) && !isGateOpen(gates.imperative, featureGates))
    throw badRequest('Enable DeclarativeHotplugVolumes or HotplugVolumes feature gate to use this API.')
}

/** Reads a body in KubeVirt's words. @throws StatusError 400 */
export function readRequest(
  { config }: Pick<VolumeOptions, 'config'>,
  kind: VolumeRequest['kind'],
  body: string,
): { readonly request: VolumeRequest; readonly dryRun: boolean } {
  checkHotplugGates({ config })
  const sent = parseOptions(body)
  const dryRun = readDryRun(sent)
  const { name = '', disk, volumeSource } = sent
  if (typeof name !== 'string') throw invalidBody('name must be a text')
  if (kind === 'remove') {
    if (name === '') throw badRequest('RemoveVolumeOptions requires name to be set')
    return { request: { kind, name }, dryRun }
  }
  if (name === '') throw badRequest('AddVolumeOptions requires name to be set')
  if (disk === undefined || disk === null) throw badRequest('AddVolumeOptions requires disk to not be nil')
  if (volumeSource === undefined || volumeSource === null) throw badRequest('AddVolumeOptions requires VolumeSource to not be nil')
  if (!isJsonObject(disk)) throw invalidBody('disk must be an object')
  if (!isJsonObject(volumeSource)) throw invalidBody('volumeSource must be an object')
  return {
    request: { kind, name, disk: { ...(disk as Partial<Disk>), name }, source: hotpluggable(volumeSource as HotplugVolumeSource) },
    dryRun,
  }
}

function hotpluggable({ dataVolume, persistentVolumeClaim }: HotplugVolumeSource): HotplugVolumeSource {
  if (dataVolume !== undefined) return { dataVolume: { ...dataVolume, hotpluggable: true } }
  return persistentVolumeClaim === undefined ? {} : { persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: true } }
}

/**
 * Returns the volumes and disks of a guest after a request. `refuse` makes the error of what is
 * impossible. Pure. @throws StatusError 409
 */
export function changed(
  { volumes = [], domain }: VirtualMachineInstanceSpec,
  request: VolumeRequest,
  refuse: (why: string) => StatusError,
): { readonly volumes: readonly Volume[]; readonly disks: readonly Disk[] } {
  const disks = domain.devices.disks ?? []
  const { name } = request
  if (request.kind === 'add') {
    const source = nameOf(request.source) ?? ''
    for (const volume of volumes) {
      if (volume.name === name) throw refuse(`Unable to add volume [${name}] because volume with that name already exists`)
      if (nameOf(volume) === source) throw refuse(`Unable to add volume source [${source}] because it already exists`)
    }
    return { volumes: [...volumes, { name, ...request.source }], disks: [...disks, request.disk] }
  }
  const found = volumes.find((volume) => volume.name === name || nameOf(volume) === name)
  if (found === undefined) throw refuse(`Unable to remove volume [${name}] because it does not exist`)
  if ((found.dataVolume ?? found.persistentVolumeClaim)?.hotpluggable !== true)
    throw refuse(`Unable to remove volume [${found.name}] because it is not hotpluggable`)
  return { volumes: volumes.filter((volume) => volume !== found), disks: disks.filter((disk) => disk.name !== found.name) }
}

function nameOf({ dataVolume, persistentVolumeClaim }: HotplugVolumeSource): string | undefined {
  return dataVolume?.name ?? persistentVolumeClaim?.claimName
}

/** Refuses a disk that cannot be plugged in, in KubeVirt's words. @throws StatusError 422 */
export function checkDisk(
  { name, disk }: Extract<VolumeRequest, { kind: 'add' }>,
  { kind, name: owner }: { readonly kind: string; readonly name: string },
): void {
  const message = diskProblem(name, disk)
  if (message === undefined) return
  throw invalid({ group: 'kubevirt.io', kind }, owner, [{ reason: 'FieldValueInvalid', message, field: 'disk' }])
}

function diskProblem(name: string, { disk, lun, dedicatedIOThread, bootOrder }: Disk): string | undefined {
  const prefix = 'Hotplug configuration for'
  const bus = (disk ?? lun)?.bus ?? ''
  if (disk === undefined && lun === undefined) return `${prefix} [${name}] requires diskDevice of type 'disk' or 'lun' to be used.`
  if (disk !== undefined && bus !== 'scsi' && bus !== 'virtio')
    return `${prefix} disk [${name}] requires bus to be 'scsi' or 'virtio'. [${bus}] is not permitted.`
  if (disk === undefined && bus !== 'scsi') return `${prefix} LUN [${name}] requires bus to be 'scsi'. [${bus}] is not permitted.`
  if (dedicatedIOThread === true && bus !== 'virtio') return `${prefix} [${name}] requires virtio bus for IOThreads.`
  if (bootOrder !== undefined && bootOrder < 1) return 'disk must have a boot order > 0, if supplied'
  // Volumes are files here.
  return lun === undefined ? undefined : `${prefix} LUN [${name}] is not possible: volumes here are files, not SCSI devices`
}
