import { parseArgs } from 'node:util'

/** The command line is wrong. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
}

/**
 * Parses `--name=value` flags of a component. A name that ends in `?` may be missing.
 * @throws FlagError for one that is unknown or missing
 */
export function parseFlags<Name extends string>(args: readonly string[], names: readonly Name[]): Readonly<Record<Name, string>> {
  const bare = (name: string): string => name.replace(/\?$/, '')
  const options = Object.fromEntries(names.map((name) => [bare(name), { type: 'string' as const }]))
  let values: Readonly<Record<string, unknown>>
  try {
    values = parseArgs({ args: [...args], options, strict: true }).values
  } catch (cause) {
    throw new FlagError((cause as Error).message, { cause })
  }
  const missing = names.filter((name) => !name.endsWith('?') && values[name] === undefined)
  if (missing.length > 0) throw new FlagError(`Missing flags: ${missing.map((name) => `--${name}`).join(', ')}`)
  return Object.fromEntries(names.map((name) => [name, (values[bare(name)] as string | undefined) ?? ''])) as Record<Name, string>
}

/** Where a component tells how it is, by its flags. */
export function healthAddress(flags: { readonly address: string; readonly 'health-port': string }): {
  readonly host: string
  readonly port: number
} {
  return { host: flags.address, port: Number(flags['health-port']) }
}

/**
 * The kubeconfig that a component was given; without one, it finds its cluster as every pod does.
 */
export function kubeconfigAt(path: string): { readonly path?: string } {
  return path === '' ? {} : { path }
}
