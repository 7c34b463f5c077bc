import { parseCommandLine, parseProperties, propertyOf, toArguments, type CommandLineOption } from '../launch/command-line.ts'
import { relocatePaths, type Relocate } from '../launch/host-paths.ts'
import { netdevId, nicId } from '../domain/interface.ts'
import { cardArguments, type PresentCard } from '../hotplug/cards.ts'
import { isPluggedCpu, pluggedCpuDevice, type Hotplugged } from '../hotplug/hotplugged.ts'

/**
 * Returns the command line of a target: the recorded one of the source, never a newly rendered one,
 * with other paths, with hotplugged devices, and waiting for the stream with stopped CPUs. QEMU
 * does not report what was hotplugged: `hotplugged` is read from the source.
 */
export function incomingArguments(recorded: readonly string[], relocate: Relocate, hotplugged: Hotplugged): string[] {
  return [...relocatePaths(hardwareArguments(recorded, hotplugged), relocate), '-S', '-incoming', 'defer']
}

/**
 * Returns a command line without the options of this start, with CPUs, memory and network cards as
 * they are plugged now.
 */
export function hardwareArguments(recorded: readonly string[], { cpus, memory, cards }: Hotplugged): string[] {
  const options = parseCommandLine(recorded)
    .filter(({ name, value }) => name !== '-S' && name !== '-incoming' && !(name === '-device' && isPluggedCpu(value ?? '')))
    .map((option) => withMemory(option, memory))
  const plugged = cards === undefined ? options : withCards(options, cards)
  return toArguments([...plugged, ...cpus.map((cpu) => ({ name: '-device', value: pluggedCpuDevice(cpu) }))])
}

/** Leaves out cards that the guest has released, and adds those that it was given. */
function withCards(options: readonly CommandLineOption[], cards: readonly PresentCard[]): CommandLineOption[] {
  const idOf = ({ name, value = '' }: CommandLineOption): string | undefined =>
    name === '-netdev' || name === '-device' ? propertyOf(parseProperties(value), 'id') : undefined
  const present = new Set(cards.flatMap(({ name }) => [nicId(name), netdevId(name)]))
  const isCard = (id: string | undefined): boolean => id?.startsWith(nicId('')) === true || id?.startsWith(netdevId('')) === true
  const kept = options.filter((option) => !isCard(idOf(option)) || present.has(idOf(option) ?? ''))
  const known = new Set(kept.map(idOf))
  const added = cards.flatMap((card) => {
    const { port, name } = card
    if (port === undefined || known.has(nicId(name))) return []
    const [netdev, device] = cardArguments({ ...card, port })
    return [
      { name: '-netdev', value: netdev },
      { name: '-device', value: device },
    ]
  })
  return [...kept, ...added]
}

function withMemory(option: CommandLineOption, memory: Hotplugged['memory']): CommandLineOption {
  const { name, value = '' } = option
  if (name !== '-device' || !value.startsWith('virtio-mem-pci,')) return option
  const size = memory.find(({ id }) => id === propertyOf(parseProperties(value), 'id'))
  if (size === undefined) return option
  const rest = value.split(',').filter((part) => !part.startsWith('requested-size='))
  return { name, value: [...rest, `requested-size=${size.requestedBytes}`].join(',') }
}
