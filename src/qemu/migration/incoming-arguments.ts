import { parseCommandLine, parseProperties, propertyOf, toArguments, type CommandLineOption } from '../launch/command-line.ts'
import { relocatePaths, type Relocate } from '../launch/host-paths.ts'
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
 * Returns a command line without the options of this start, with CPUs and memory as they are
 * plugged now.
 */
export function hardwareArguments(recorded: readonly string[], { cpus, memory }: Hotplugged): string[] {
  const options = parseCommandLine(recorded)
    .filter(({ name, value }) => name !== '-S' && name !== '-incoming' && !(name === '-device' && isPluggedCpu(value ?? '')))
    .map((option) => withMemory(option, memory))
  return toArguments([...options, ...cpus.map((cpu) => ({ name: '-device', value: pluggedCpuDevice(cpu) }))])
}

function withMemory(option: CommandLineOption, memory: Hotplugged['memory']): CommandLineOption {
  const { name, value = '' } = option
  if (name !== '-device' || !value.startsWith('virtio-mem-pci,')) return option
  const size = memory.find(({ id }) => id === propertyOf(parseProperties(value), 'id'))
  if (size === undefined) return option
  const rest = value.split(',').filter((part) => !part.startsWith('requested-size='))
  return { name, value: [...rest, `requested-size=${size.requestedBytes}`].join(',') }
}
