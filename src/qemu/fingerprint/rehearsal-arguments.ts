import {
  formatProperties,
  parseCommandLine,
  parseProperties,
  propertyOf,
  toArguments,
  type CommandLineOption,
} from '../launch/command-line.ts'

/** Options about the host, or that load guest code. */
const dropped: ReadonlySet<string> = new Set([
  '-S',
  '-incoming',
  '-mon',
  '-vnc',
  '-display',
  '-kernel',
  '-initrd',
  '-append',
  '-tpmdev',
  '-name',
])

/**
 * A command line with the same hardware and nothing behind it: no files of the guest, no sockets,
 * no huge pages, and a monitor of its own.
 */
export function rehearsalArguments(args: readonly string[], monitor: string): string[] {
  const options = parseCommandLine(args)
    .filter((option) => !dropped.has(option.name) && !isTpm(option))
    .flatMap(withNothingBehind)
  return [
    '-S',
    ...toArguments(options),
    '-display',
    'none',
    '-chardev',
    `socket,id=rehearsal,path=${monitor},server=on,wait=off`,
    '-mon',
    'chardev=rehearsal,mode=control',
  ]
}

/** Facts of devices that cannot be built without the process behind them. */
export function rehearsedApart(args: readonly string[]): Record<string, string> {
  const values = parseCommandLine(args).flatMap((option) => (isTpm(option) ? [parseProperties(option.value ?? '')] : []))
  return Object.fromEntries(
    values.map((properties) => [`device ${propertyOf(properties, 'id') ?? ''}: type`, propertyOf(properties, '') ?? '']),
  )
}

function isTpm({ name, value = '' }: CommandLineOption): boolean {
  return name === '-device' && value.startsWith('tpm-')
}

function withNothingBehind(option: CommandLineOption): CommandLineOption[] {
  const { name, value = '' } = option
  const properties = (): ReturnType<typeof parseProperties> => parseProperties(value)
  const id = (): string => propertyOf(properties(), 'id') ?? ''
  switch (name) {
    case '-chardev':
      return [{ name, value: `null,id=${id()}` }]
    case '-netdev':
      return [{ name, value: `user,id=${id()},restrict=on` }]
    case '-blockdev':
      return [{ name, value: emptyNode(value) }]
    case '-drive':
      // Flash has the size of its file. It may belong to a guest that runs.
      return [{ name, value: `${formatProperties(properties().filter(([key]) => key !== 'readonly'))},readonly=on,force-share=on` }]
    case '-object':
      return [
        {
          name,
          value: value.startsWith('memory-backend-')
            ? `memory-backend-ram,id=${id()},size=${propertyOf(properties(), 'size') ?? ''},reserve=off`
            : value,
        },
      ]
    default:
      return [option]
  }
}

/** A disk of zeroes. */
function emptyNode(value: string): string {
  const node = JSON.parse(value) as Readonly<Record<string, unknown>>
  const { 'node-name': name, 'read-only': readOnly = false, file } = node
  return JSON.stringify(
    file === undefined
      ? { driver: 'null-co', 'node-name': name, 'read-only': readOnly, size: 1 << 30, 'read-zeroes': true }
      : { driver: 'raw', 'node-name': name, 'read-only': readOnly, file },
  )
}
