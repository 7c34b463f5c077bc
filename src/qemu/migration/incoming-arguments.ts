import { parseCommandLine, parseProperties, propertyOf, toArguments, type CommandLineOption } from '../launch/command-line.ts'
import { relocatePaths, type Relocate } from '../launch/host-paths.ts'
import { isPluggedCpu, pluggedCpuDevice, type Hotplugged } from '../hotplug/hotplugged.ts'

/**
 * The command line of a target: what the source was launched with, never what would be made of the
 * guest today, with other paths, with what was plugged in since, and waiting for a guest with its
 * CPUs stopped. The target is as long as the source says only what it is told: `hotplugged` is
 * asked of the source.
 */
export function incomingArguments(recorded: readonly string[], relocate: Relocate, hotplugged: Hotplugged): string[] {
  return [...relocatePaths(hardwareArguments(recorded, hotplugged), relocate), '-S', '-incoming', 'defer']
}

/**
 * A command line without what only this start of the guest needed, with CPUs and memory as they are
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
