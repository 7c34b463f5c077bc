import { parseArgs } from 'node:util'

/** The command line is invalid. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
}

/**
 * Parses `--name=value` flags of a component. A name that ends in `?` is optional.
 * @throws FlagError for an unknown or missing flag
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

/** Address of the health server from a component's flags. */
export function healthAddress(flags: { readonly address: string; readonly 'health-port': string }): {
  readonly host: string
  readonly port: number
} {
  return { host: flags.address, port: Number(flags['health-port']) }
}

/** Selects the kubeconfig of a flag; without one, in-cluster configuration is used. */
export function kubeconfigAt(path: string): { readonly path?: string } {
  return path === '' ? {} : { path }
}
