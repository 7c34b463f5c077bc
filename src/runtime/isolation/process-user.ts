import { execFileSync } from 'node:child_process'

/** Unix credentials of a process. */
export interface ProcessUser {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
}

/**
 * Returns a command that changes credentials irrevocably: no capabilities remain, and set-user-id
 * programs restore none.
 */
export function setpriv({ uid, gid, groups }: ProcessUser): readonly string[] {
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, `--groups=${groups.join(',')}`]
  return ['setpriv', ...ids, '--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--']
}

/**
 * Reports why this process cannot start others as other users, by the commands in front of theirs;
 * undefined when it can.
 */
export function cannotChangeUser(before: readonly string[] = []): string | undefined {
  if (process.geteuid?.() !== 0) return 'steadyvm does not run as root'
  const [program = '', ...args] = [...before, ...setpriv({ uid: 1_879_000_000, gid: 1_879_000_000, groups: [1_879_000_000] })]
  try {
    execFileSync(program, [...args, '/bin/true'], { stdio: ['ignore', 'ignore', 'pipe'] })
    return undefined
  } catch (error) {
    return `${program} fails: ${error instanceof Error ? error.message.trim() : String(error)}`
  }
}
