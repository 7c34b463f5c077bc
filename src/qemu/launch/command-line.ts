/** One option of QEMU's command line, with its value if it takes one. */
export interface CommandLineOption {
  readonly name: string
  readonly value?: string
}

/** Splits a command line, which alternates between options and values but for options without. */
export function parseCommandLine(args: readonly string[]): CommandLineOption[] {
  const options: CommandLineOption[] = []
  for (let index = 0; index < args.length; index++) {
    const name = args[index] ?? ''
    const value = args[index + 1]
    if (flags.has(name) || value === undefined) {
      options.push({ name })
    } else {
      options.push({ name, value })
      index++
    }
  }
  return options
}

/** Options without a value. */
const flags: ReadonlySet<string> = new Set([
  '-S',
  '-no-user-config',
  '-nodefaults',
  '-no-reboot',
  '-no-shutdown',
  '-nographic',
  '-no-hpet',
  '-no-acpi',
  '-daemonize',
])

/** Inverse of {@link parseCommandLine}. */
export function toArguments(options: readonly CommandLineOption[]): string[] {
  return options.flatMap(({ name, value }) => (value === undefined ? [name] : [name, value]))
}

/**
 * `name=value` pairs of an option's value. The first may lack a name; commas in values are doubled.
 */
export type Property = readonly [name: string, value: string]

/** Splits an option's value at its commas. The implied first name is the empty one. */
export function parseProperties(value: string): Property[] {
  const parts = value.replaceAll(',,', '\0').split(',')
  return parts.map((part, index): Property => {
    const text = part.replaceAll('\0', ',')
    const at = text.indexOf('=')
    if (at < 0) return index === 0 ? ['', text] : [text, 'on']
    return [text.slice(0, at), text.slice(at + 1)]
  })
}

/** Inverse of {@link parseProperties}. */
export function formatProperties(properties: readonly Property[]): string {
  return properties.map(([name, value]) => (name === '' ? escape(value) : `${name}=${escape(value)}`)).join(',')
}

function escape(value: string): string {
  return value.replaceAll(',', ',,')
}

/** The value of a property. */
export function propertyOf(properties: readonly Property[], name: string): string | undefined {
  return properties.find(([each]) => each === name)?.[1]
}
