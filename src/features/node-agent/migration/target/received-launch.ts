import { basename, join } from 'node:path'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launchRecordVersion, type LaunchRecord } from '#features/launcher/index.ts'
import { compatibility, incomingArguments, type Domain, type Interface, type PresentCard, type Relocate } from '#qemu/index.ts'
import type { Guest } from '#features/node-agent/guest/guest.ts'
import { asLaunched } from '#features/node-agent/domain/as-launched.ts'
import { guestSockets } from '#features/node-agent/domain/domain.ts'
import { prepareGuestFiles } from '#features/node-agent/volumes/prepare.ts'
import type { GuestFiles } from '#features/node-agent/domain/guest-files.ts'
import { checkIncomingHardware } from '#features/node-agent/hardware/check-arrival.ts'
import { UnsupportedGuest } from '#features/node-agent/domain/unsupported-guest.ts'
import { podOf, type Ports } from '#features/node-agent/guest/ports.ts'
import { isolationOf, launchPlace } from '#features/node-agent/isolation/launch-isolation.ts'
import { attachCards } from '#features/node-agent/network/attach-cards.ts'
import { tapName } from '#features/node-agent/network/tap.ts'
import type { SourceLaunch } from '../source-launch.ts'
import { allocateMigrationPorts, portsOfPod } from './listen-address.ts'

/** A guest with an incoming migration. */
export interface IncomingGuest {
  readonly guest: Guest
  readonly vmi: VirtualMachineInstance
  readonly state: VirtualMachineInstanceMigrationState
  readonly signal: AbortSignal
}

/**
 * Builds the target's launch record: the source's arguments with the paths of this node. @throws
 * UnsupportedGuest
 */
export async function receivedLaunch(
  ports: Pick<Ports, 'client' | 'host' | 'network' | 'isolation' | 'nodeName' | 'migrationAddress' | 'migrationCertificates' | 'pods'>,
  { guest, vmi: stored, state, signal }: IncomingGuest,
  handed: SourceLaunch,
): Promise<LaunchRecord> {
  const { host } = ports
  const vmi = asLaunched(stored, podOf(ports, guest, stored))
  const { paths } = guest
  const { arguments: args } = handed.record
  const domain = domainNow(handed)
  const source = { arguments: args, version: handed.qemuVersion, cpuFeatures: handed.cpuFeatures }
  const [obstacle] = compatibility(source, { accelerator: host.accelerator, capabilities: host })
  if (obstacle !== undefined) throw new UnsupportedGuest(obstacle.text)
  const files = await prepareGuestFiles(vmi, await launchPlace(ports, guest, vmi), signal)
  await attachCards(ports, guest, vmi, domain)
  const { name = '', namespace = '', uid = '' } = vmi.metadata
  const launch = { binary: host.qemuBinary, arguments: incomingArguments(args, relocation(guest, files), handed.hotplugged) }
  await checkIncomingHardware(ports, vmi, { launch, handed: handed.hardware })
  return {
    ...handed.record,
    version: launchRecordVersion,
    vmi: { namespace, name, uid },
    pod: { uid: guest.podUid },
    before: files.tpmCommand === undefined ? [] : [files.tpmCommand],
    ...launch,
    domain,
    monitor: guestSockets(paths.runDirectory).monitor,
    incoming: await (paths.view.isContained ? portsOfPod(ports, guest, vmi, state) : allocateMigrationPorts(ports, state)),
    ...(await isolationOf(ports, { guest, vmi, files, domain })),
  }
}

/** Returns the domain with the network cards that the guest has now. */
function domainNow({ record: { domain }, hotplugged: { cards } }: SourceLaunch): Domain {
  if (cards === undefined) return domain
  const kept = domain.interfaces.filter(({ name }) => cards.some((card) => card.name === name))
  const added = cards.filter(({ name }) => !kept.some((card) => card.name === name))
  const interfaces = [...kept, ...added.map(launchedCard)]
  return { ...domain, interfaces }
}

/** A card that was plugged in has a tap device, which each node names itself. */
function launchedCard(present: PresentCard): Interface {
  const { transitional: _, ...card } = present
  return { ...card, backend: { kind: 'tap', device: '' } }
}

/** Maps file paths of the source to those of this node. */
function relocation(guest: Guest, files: GuestFiles): Relocate {
  const { paths } = guest
  return (path, { kind, id }) => {
    switch (kind) {
      case 'socket':
        return join(paths.view.run, basename(path))
      case 'log':
        return join(paths.view.private, basename(path))
      case 'disk':
        return files.volumes.get(id.replace(/^file-/, ''))?.path ?? missing(id)
      case 'firmware':
        return (id === '0' ? files.firmware?.codePath : files.firmware?.variablesPath) ?? missing('firmware')
      case 'kernel':
        return (id === 'initrd' ? files.kernel?.initrdPath : files.kernel?.kernelPath) ?? missing(id)
      case 'tap':
        return tapName(guest.podUid, id.replace(/^net-/, ''))
      case 'device':
        return path
    }
  }
}

function missing(what: string): never {
  throw new UnsupportedGuest(`the guest was launched with "${what}", which it does not ask for any more`)
}
