import { parseCommandLine, parseProperties, propertyOf, type CommandLineOption } from '../launch/command-line.ts'
import { compareFacts, type Change } from './fingerprint.ts'

/** All settings of a command line, by name. Those of one thing carry its id. */
export function launchSettings(args: readonly string[]): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const [index, option] of parseCommandLine(args).entries()) Object.assign(settings, settingsOf(option, index))
  return settings
}

/**
 * Compares two launches of a guest, and reports which differences are guest-visible. Pure: it does
 * not query QEMU, so the effect of a release on a setting is unknown; see {@link
 * rehearseFingerprint}.
 */
export function compareLaunches(before: readonly string[], after: readonly string[]): Change[] {
  return compareFacts(launchSettings(before), launchSettings(after), isVisible)
}

/**
 * Returns the guest-visible settings of a command line. A clock with a fixed start time differs at
 * each start.
 */
export function visibleSettings(args: readonly string[]): Record<string, string> {
  const visible = Object.entries(launchSettings(args)).filter(([name]) => isVisible(name))
  return Object.fromEntries(visible.map(([name, value]) => [name, name === 'rtc: base' && /^\d/.test(value) ? 'set at the start' : value]))
}

function settingsOf({ name, value }: CommandLineOption, index: number): Record<string, string> {
  if (value === undefined) return { [name.slice(1)]: 'on' }
  if (whole.has(name)) return { [name.slice(1)]: value }
  const properties = name === '-blockdev' ? nodeProperties(value) : parseProperties(value)
  const id = identityOf(name, properties, index)
  const title = id === '' ? name.slice(1) : `${name.slice(1)} ${id}`
  return Object.fromEntries(
    properties.filter(([key]) => key !== 'id').map(([key, text]) => [`${title}: ${key === '' ? 'type' : key}`, text]),
  )
}

/** Options with a single value. */
const whole: ReadonlySet<string> = new Set([
  '-uuid',
  '-vnc',
  '-kernel',
  '-initrd',
  '-append',
  '-incoming',
  '-display',
  '-vga',
  '-L',
  '-global',
])

function nodeProperties(value: string): (readonly [string, string])[] {
  const node = JSON.parse(value) as Readonly<Record<string, unknown>>
  return Object.entries(node).map(([key, content]) => [key, typeof content === 'string' ? content : JSON.stringify(content)])
}

/** Key that distinguishes several options of one name. */
function identityOf(name: string, properties: readonly (readonly [string, string])[], index: number): string {
  const of = (key: string): string | undefined => propertyOf(properties, key)
  switch (name) {
    case '-blockdev':
      return of('node-name') ?? String(index)
    case '-smbios':
      return of('type') ?? ''
    case '-mon':
      return of('chardev') ?? ''
    case '-drive':
      return of('unit') ?? String(index)
    case '-device':
    case '-object':
    case '-chardev':
    case '-netdev':
    case '-audiodev':
    case '-tpmdev':
      return of('id') ?? String(index)
    default:
      return ''
  }
}

/** Whole options that are between QEMU and its host. */
const hostOptions: ReadonlySet<string> = new Set(
  'name S incoming chardev mon vnc sandbox msg action audiodev tpmdev netdev display object kernel initrd L no-user-config'.split(' '),
)
/** Settings of other options that are, too. */
const hostSettings: Readonly<Record<string, ReadonlySet<string>>> = {
  device: new Set('drive netdev chardev iothread rng memdev audiodev tpmdev werror rerror share-rw'.split(' ')),
  machine: new Set(['dump-guest-core', 'mem-merge', 'memory-backend', 'memory-encryption']),
  accel: new Set(['tb-size', 'thread']),
  cpu: new Set(['check', 'enforce', 'migratable']),
  rtc: new Set(['driftfix', 'clock']),
  drive: new Set(['file', 'format', 'if']),
  blockdev: new Set(['driver', 'node-name', 'filename', 'discard', 'cache', 'aio', 'file', 'backing', 'locking', 'size', 'auto-read-only']),
}

/** Reports whether a setting is guest-visible. Unknown settings are. */
export function isVisible(name: string): boolean {
  const [title = '', setting] = name.split(': ')
  const [option = ''] = title.split(' ')
  if (hostOptions.has(option)) return false
  return setting === undefined || hostSettings[option]?.has(setting) !== true
}
