import { createHash } from 'node:crypto'
import { blockNodes, driveId, launchedNodes, launchedScsiBus, pluggedDeviceOf, type DiskNodes, type PluggedPlace } from '../domain/disk.ts'
import type { Disk, Domain } from '../domain/domain.ts'
import { placeInPort, portNumber } from '../domain/hotplug-port.ts'
import { virtioDevice } from '../domain/virtio.ts'
import { pluggedController, pluggedPrefix } from './plugged-storage.ts'
import { listProperties } from '../fingerprint/qom.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import { addDevice, refusalOf, removeDevice } from '../qmp/refusal.ts'

/** A disk that was plugged into a running guest. */
export interface PluggedDisk {
  readonly name: string
  readonly place: PluggedPlace
}

/** What QEMU has of plugged disks: each part is added and removed by a step of its own. */
export interface PluggedDisks {
  readonly disks: readonly PluggedDisk[]
  /** Disks whose content is open, with or without a device that shows it. By name. */
  readonly open: ReadonlyMap<string, OpenDisk>
  /** Media of drives that were empty at the start: the name of the disk that is in each. */
  readonly media: ReadonlyMap<string, string>
  /** Bus of the SCSI controller to plug disks into. Absent: the guest has none. */
  readonly scsiBus?: string
  /** Port of the SCSI controller that was plugged in with a disk. */
  readonly controllerPort?: number
}

/** The content of a disk in QEMU. */
export interface OpenDisk {
  /** Where the content comes from, as {@link openDisk} was told. */
  readonly source?: string
  /** Absent: the descriptor was passed, and nothing else was done with it. */
  readonly bytes?: number
}

/** QEMU's names of block nodes have 31 characters at most. */
const longestName = 25

function nodesOf(name: string): DiskNodes {
  const short = name.length <= longestName ? name : `${name.slice(0, 14)}.${createHash('sha256').update(name).digest('hex').slice(0, 10)}`
  return { file: `hotf-${short}`, format: `hotd-${short}` }
}

/** Returns the node that a backup puts above the content of a disk while it runs. */
export function backupFilter(node: string): string {
  return `bakc-${createHash('sha256').update(node).digest('hex').slice(0, 20)}`
}

interface FdSet {
  readonly 'fdset-id': number
  readonly fds: readonly { readonly opaque?: string }[]
}

interface BlockNode {
  readonly 'node-name': string
  readonly image: { readonly 'virtual-size': number }
}

interface BlockDevice {
  readonly qdev?: string
  readonly inserted?: { readonly 'node-name'?: string }
}

/** Reads which disks were plugged into a guest. `names`: disks that may be, or may have been. */
export async function readPluggedDisks(qmp: QmpConnection, names: Iterable<string>): Promise<PluggedDisks> {
  const [children, nodes, sets, devices] = await Promise.all([
    listProperties(qmp, '/machine/peripheral'),
    qmp.execute('query-named-block-nodes', { flat: true }) as Promise<readonly BlockNode[]>,
    qmp.execute('query-fdsets') as Promise<readonly FdSet[]>,
    qmp.execute('query-block') as Promise<readonly BlockDevice[]>,
  ])
  const sizes = new Map(nodes.map(({ 'node-name': node, image }) => [node, image['virtual-size']]))
  const passed = new Map(sets.flatMap(({ fds }) => fds.flatMap(({ opaque = '' }) => sourceIn(opaque) ?? [])))
  const ids = children.map(({ name }) => name)
  const present = ids.flatMap((id) => (id.startsWith(pluggedPrefix) ? [id.slice(pluggedPrefix.length)] : [])).toSorted()
  const all = new Set([...names, ...passed.keys(), ...present])
  const open = new Map(
    [...all].flatMap((name): [string, OpenDisk][] => {
      const { file, format } = nodesOf(name)
      const [bytes, source] = [sizes.get(format), passed.get(name)]
      if (bytes === undefined && source === undefined && !sizes.has(file)) return []
      return [[name, { ...(source === undefined ? {} : { source }), ...(bytes === undefined ? {} : { bytes }) }]]
    }),
  )
  const byNode = new Map(
    [...all].flatMap((name) => {
      const { format } = nodesOf(name)
      return [format, backupFilter(format)].map((node) => [node, name] as const)
    }),
  )
  const media = devices.flatMap(({ qdev = '', inserted }): [string, string][] => {
    const drive = /(?:^|\/)dev-([^/]+)/.exec(qdev)?.[1]
    const name = byNode.get(inserted?.['node-name'] ?? '')
    return drive === undefined || name === undefined ? [] : [[drive, name]]
  })
  const controllerPort = ids.includes(pluggedController) ? portNumber(await busOf(qmp, pluggedController)) : undefined
  return {
    disks: await Promise.all(present.map(async (name) => ({ name, place: await placeOf(qmp, name) }))),
    open,
    media: new Map(media),
    ...(ids.includes('scsi0') ? { scsiBus: launchedScsiBus } : controllerPort === undefined ? {} : { scsiBus: pluggedScsiBus }),
    ...(controllerPort === undefined ? {} : { controllerPort }),
  }
}

async function placeOf(qmp: QmpConnection, name: string): Promise<PluggedPlace> {
  const id = `${pluggedPrefix}${name}`
  const bus = await busOf(qmp, id)
  const port = portNumber(bus)
  if (port !== undefined) return { port }
  return { scsiBus: bus, scsiId: Number(await qmp.execute('qom-get', { path: `/machine/peripheral/${id}`, property: 'scsi-id' })) }
}

async function busOf(qmp: QmpConnection, id: string): Promise<string> {
  const path = await qmp.execute('qom-get', { path: `/machine/peripheral/${id}`, property: 'parent_bus' })
  return String(path).split('/').at(-1) ?? ''
}

/** Returns the ids that are taken on a SCSI bus, also by disks that were there from the start. */
export async function readScsiIds(qmp: QmpConnection, bus: string): Promise<ReadonlySet<number>> {
  const children = (await listProperties(qmp, '/machine/peripheral')).filter(({ type }) => /^child<scsi-(hd|cd)>$/.test(type))
  const taken = await Promise.all(
    children.map(async ({ name }) => {
      const id = await qmp.execute('qom-get', { path: `/machine/peripheral/${name}`, property: 'scsi-id' })
      return (await busOf(qmp, name)) === bus ? [Number(id)] : []
    }),
  )
  return new Set(taken.flat())
}

type VirtioMachine = Pick<Domain['machine'], 'virtioTransitional'>

/** Plugs a SCSI controller into a port. Idempotent. Returns the reason why QEMU refuses. */
export function plugScsiController(qmp: QmpConnection, port: number, machine: VirtioMachine): Promise<string | undefined> {
  return addDevice(qmp, `${virtioDevice('scsi', { machine })},${placeInPort(port)},id=${pluggedController}`)
}

/** Returns the bus of the controller that {@link plugScsiController} plugs in. */
export const pluggedScsiBus: string = `${pluggedController}.0`

/** The note that QEMU keeps with a descriptor. Names of disks have no colon. */
function noteOf(name: string, source: string): string {
  return `${pluggedPrefix}${name}:${source}`
}

function sourceIn(note: string): (readonly [name: string, source: string])[] | undefined {
  const [, name, source] = /^hot-([^:]+):(.*)$/s.exec(note) ?? []
  return name === undefined || source === undefined ? undefined : [[name, source]]
}

/**
 * Opens the content of a disk in QEMU, from a descriptor of its file: QEMU needs neither a path nor
 * a right of its own. Idempotent for the same source. Returns the reason why QEMU refuses.
 */
export async function openDisk(
  qmp: QmpConnection,
  disk: Omit<Disk, 'path'>,
  { descriptor, source }: { readonly descriptor: number; readonly source: string },
): Promise<string | undefined> {
  const opaque = noteOf(disk.name, source)
  const sets = (await qmp.execute('query-fdsets')) as readonly FdSet[]
  const known = sets.find(({ fds }) => fds.some((fd) => fd.opaque === opaque))?.['fdset-id']
  const id = known ?? Math.max(0, ...sets.map((set) => set['fdset-id'])) + 1
  if (known === undefined) await qmp.executeWith(descriptor, 'add-fd', { 'fdset-id': id, opaque })
  for (const node of blockNodes({ ...disk, path: `/dev/fdset/${id}` }, nodesOf(disk.name))) {
    const refusal = await refusalOf(/[Dd]uplicate node|already exists/, qmp.execute('blockdev-add', node))
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** Shows an open disk to the guest. Idempotent. Returns the reason why QEMU refuses. */
export async function plugDisk(
  qmp: QmpConnection,
  disk: Omit<Disk, 'path'>,
  place: PluggedPlace,
  machine: VirtioMachine,
): Promise<string | undefined> {
  if (disk.ioThread !== undefined) {
    const refusal = await refusalOf(/duplicate/, qmp.execute('object-add', { 'qom-type': 'iothread', id: `iothread-${disk.ioThread}` }))
    if (refusal !== undefined) return refusal
  }
  const names = { place, node: nodesOf(disk.name).format, id: `${pluggedPrefix}${disk.name}` }
  return addDevice(qmp, pluggedDeviceOf({ ...disk, path: '' }, names, { machine }))
}

/** Asks the guest to release a disk. Idempotent. Returns the reason why QEMU refuses. */
export function requestDiskUnplug(qmp: QmpConnection, name: string): Promise<string | undefined> {
  return removeDevice(qmp, `${pluggedPrefix}${name}`)
}

/**
 * Closes the content of a disk that no device shows any more. Idempotent. Returns the reason why
 * QEMU refuses.
 */
export async function closeDisk(qmp: QmpConnection, name: string): Promise<string | undefined> {
  const { file, format } = nodesOf(name)
  for (const node of [format, file]) {
    const refusal = await refusalOf(/[Ff]ailed to find node|Cannot find/, qmp.execute('blockdev-del', { 'node-name': node }))
    if (refusal !== undefined) return refusal
  }
  const sets = (await qmp.execute('query-fdsets')) as readonly FdSet[]
  const id = sets.find(({ fds }) => fds.some(({ opaque = '' }) => opaque.startsWith(noteOf(name, ''))))?.['fdset-id']
  if (id !== undefined) await refusalOf(/not found/, qmp.execute('remove-fd', { 'fdset-id': id }))
  // A thread of its own, if it had one.
  return refusalOf(/not found/, qmp.execute('object-del', { id: `iothread-${name}` }))
}

/** Puts an open disk into a drive that was empty. Returns the reason why QEMU refuses. */
export async function insertMedium(qmp: QmpConnection, drive: string, name: string): Promise<string | undefined> {
  const id = driveId(drive)
  await openTray(qmp, id)
  const refusal = await refusalOf(/$^/, qmp.execute('blockdev-insert-medium', { id, 'node-name': nodesOf(name).format }))
  if (refusal === undefined) await qmp.execute('blockdev-close-tray', { id })
  return refusal
}

/**
 * Takes the medium out of a drive, even if the guest has locked it. Idempotent. Returns the reason
 * why QEMU refuses.
 */
export async function ejectMedium(qmp: QmpConnection, drive: string): Promise<string | undefined> {
  const id = driveId(drive)
  await openTray(qmp, id)
  return refusalOf(/has no medium/, qmp.execute('blockdev-remove-medium', { id }))
}

function openTray(qmp: QmpConnection, id: string): Promise<string | undefined> {
  return refusalOf(/$^/, qmp.execute('blockdev-open-tray', { id, force: true }))
}

/** A disk of a guest: one that was plugged in, or one that was there from the start. */
export interface DiskRef {
  readonly name: string
  readonly isPlugged: boolean
}

/** Returns the block node with the content of a disk. */
export function nodeOf({ name, isPlugged }: DiskRef): string {
  return isPlugged ? nodesOf(name).format : launchedNodes(name).format
}

/** Returns the sizes of disks in bytes, by name. Those that QEMU does not have are left out. */
export async function readDiskSizes(qmp: QmpConnection, disks: readonly DiskRef[]): Promise<ReadonlyMap<string, number>> {
  const nodes = (await qmp.execute('query-named-block-nodes', { flat: true })) as readonly BlockNode[]
  const sizes = new Map(nodes.map(({ 'node-name': node, image }) => [node, image['virtual-size']]))
  return new Map(
    disks.flatMap((disk): [string, number][] => {
      const bytes = sizes.get(nodeOf(disk))
      return bytes === undefined ? [] : [[disk.name, bytes]]
    }),
  )
}

/**
 * Makes a disk larger: its image, QEMU's view and the guest's. A device must have grown before.
 * Returns the reason why QEMU refuses.
 */
export function resizeDisk(qmp: QmpConnection, disk: DiskRef, bytes: number): Promise<string | undefined> {
  return refusalOf(/$^/, qmp.execute('block_resize', { 'node-name': nodeOf(disk), size: bytes }))
}
