import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessUser } from '#runtime/isolation/process-user.ts'
import { writeFileAtomically } from '../process/atomic-file.ts'
import type { Mount } from '../volumes/mounts.ts'

/** List of users of a machine. */
const passwd = '/etc/passwd'

/**
 * Writes the machine's users with the user of a container into its directory, to be mounted in
 * place of them, as container runtimes do: programs such as ssh and ssh-keygen refuse to run as a
 * user without a name.
 */
export function userEntryMount(directory: string, { uid, gid }: ProcessUser): Mount {
  const source = join(directory, 'passwd')
  writeFileAtomically(source, `${readUsers()}${userEntry(uid, gid)}`, 0o644)
  chmodSync(source, 0o644)
  return { source, target: passwd, readOnly: true }
}

/** A name that no user of the machine has. */
function userEntry(uid: number, gid: number): string {
  return `pod-${uid}:x:${uid}:${gid}:pod:/:/bin/sh\n`
}

function readUsers(): string {
  try {
    const text = readFileSync(passwd, 'utf8')
    return text === '' || text.endsWith('\n') ? text : `${text}\n`
  } catch {
    return ''
  }
}
