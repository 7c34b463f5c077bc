import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setpriv, type ProcessUser } from '#runtime/isolation/process-user.ts'

/** A command with its environment, complete. */
export interface Program {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Environment of everything that runs as root for a pod. None of the pod's own: LD_PRELOAD, PATH
 * or ENV would let it run code as root.
 */
const rootEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

/**
 * Runs a program as a user, without capabilities and without a way to regain them. `prepare` wraps
 * the part that root runs before: entering or creating mount namespaces. The environment reaches
 * the program in a file that is deleted before the user's first instruction: arguments are visible
 * to every user of the machine, and root must not run with it. `keep` names variables that all
 * stages carry, so that the process is found in every stage.
 */
export function commandAs(
  user: ProcessUser,
  { command, environment }: Program,
  options: { readonly directory: string; readonly keep: readonly string[]; prepare(command: readonly string[]): readonly string[] },
): Program {
  mkdirSync(options.directory, { recursive: true })
  const file = join(options.directory, `${randomUUID()}.env`)
  writeFileSync(file, environmentScript(environment), { mode: 0o600, flag: 'wx' })
  const asUser = [...setpriv(user), '/bin/sh', '-c', userScript, 'sh', ...command]
  const kept = options.keep.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  return {
    command: ['/bin/sh', '-c', rootScript, file, ...options.prepare(asUser)],
    environment: { ...rootEnvironment, ...Object.fromEntries(kept) },
  }
}

const rootScript = 'exec 3<"$0"; rm -f -- "$0"; exec "$@"'
const userScript = 'eval "$(cat <&3)"; exec 3<&-; exec "$@"'

/**
 * A shell script that sets the variables. Names that a shell cannot set are passed on by env(1).
 */
function environmentScript(environment: Readonly<Record<string, string>>): string {
  const entries = Object.entries(environment)
  const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
  const exports = entries.filter(([name]) => isName(name)).map(([name, value]) => `export ${name}=${quote(value)}\n`)
  const others = entries.filter(([name]) => !isName(name)).map(([name, value]) => quote(`${name}=${value}`))
  return exports.join('') + (others.length === 0 ? '' : `set -- env ${others.join(' ')} "$@"\n`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
