import type { QmpConnection } from '../qmp/connection.ts'
import { parseCommandLine, parseProperties } from '../launch/command-line.ts'
import { readMemory } from '../hotplug/memory.ts'
import { cpuFacts } from './cpu-facts.ts'
import { deviceFacts, pciFacts } from './device-facts.ts'
import { fingerprintVersion, type Fingerprint } from './fingerprint.ts'
import { readProperties } from './qom.ts'

/** Properties of the machine itself that a guest can see. */
const machineProperties: ReadonlySet<string> = new Set(
  'acpi smm hpet pit pic i8042 vmport usb sata smbus smbios-entry-point-type max-ram-below-4g x-oem-id x-oem-table-id'.split(' '),
)

/**
 * Reads the fingerprint of a guest from its QEMU, running or paused. Data that QEMU does not
 * report, such as SMBIOS tables, comes from the command line.
 */
export async function observeFingerprint(qmp: QmpConnection, args: readonly string[]): Promise<Fingerprint> {
  const parts = await Promise.all([machineFacts(qmp), cpuFacts(qmp), memoryFacts(qmp), deviceFacts(qmp), pciFacts(qmp)])
  return { version: fingerprintVersion, facts: Object.assign({}, ...parts, toldFacts(args)) as Record<string, string> }
}

async function machineFacts(qmp: QmpConnection): Promise<Record<string, string>> {
  const properties = await readProperties(qmp, '/machine', ({ name }) => name === 'type' || machineProperties.has(name))
  const { UUID: uuid } = (await qmp.execute('query-uuid')) as { readonly UUID: string }
  const facts = [...properties].map(([name, value]) => [`machine: ${name}`, value.replace(/-machine$/, '')])
  return { ...(Object.fromEntries(facts) as Record<string, string>), 'machine: uuid': uuid }
}

async function memoryFacts(qmp: QmpConnection): Promise<Record<string, string>> {
  const { baseBytes, devices } = await readMemory(qmp)
  const rooms = devices.map(({ id, maxBytes }) => [`device ${id}: max-size`, String(maxBytes)])
  return { 'memory: bytes': String(baseBytes), ...(Object.fromEntries(rooms) as Record<string, string>) }
}

/** Facts from tables that QEMU does not report. */
function toldFacts(args: readonly string[]): Record<string, string> {
  const options = parseCommandLine(args)
  const all = (name: string): string[] =>
    options.flatMap((option) => (option.name === name && option.value !== undefined ? [option.value] : []))
  const isEfi = all('-drive').some((value) => value.startsWith('if=pflash,'))
  const isSecure = all('-global').some((value) => value.includes('cfi.pflash01') && value.endsWith('value=on'))
  const tables = all('-smbios').flatMap((value) => {
    const [type, ...properties] = parseProperties(value)
    return properties.map(([name, text]) => [`smbios ${type?.[1] ?? ''}: ${name}`, text])
  })
  const base = parseProperties(all('-rtc')[0] ?? '').find(([name]) => name === 'base')?.[1] ?? 'utc'
  return {
    ...(Object.fromEntries(tables) as Record<string, string>),
    'firmware: kind': isEfi ? 'efi' : 'bios',
    'firmware: secure boot': isSecure ? 'on' : 'off',
    // A clock that was set at the start shows another time at each.
    'clock: base': base === 'utc' || base === 'localtime' ? base : 'set at the start',
    ...Object.fromEntries(all('-fw_cfg').map((value, index) => [`firmware: setting ${index}`, value])),
    ...Object.fromEntries(all('-append').map((value) => ['kernel: command line', value])),
  }
}
