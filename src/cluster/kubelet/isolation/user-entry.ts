import { chmodSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProcessUser } from '#runtime/isolation/process-user.ts'
import { writeFileAtomically } from '../process/atomic-file.ts'
import type { Mount } from '../volumes/mounts.ts'

const target = '/etc/passwd'

/**
 * Gives the user of a container a name, in a copy of the machine's users that the container sees:
 * as CRI-O does, since programs such as ssh end when their user has none. `folder` is the
 * container's. Undefined: the machine knows the user.
 */
export async function userEntryMount(folder: string, { uid, gid }: ProcessUser): Promise<Mount | undefined> {
  const known = await readFile(target, 'utf8').catch(() => '')
  if (known.split('\n').some((line) => line.split(':')[2] === String(uid))) return undefined
  const source = join(folder, 'passwd')
  writeFileAtomically(source, `${known.replace(/\n?$/, '\n')}pod${uid}:x:${uid}:${gid}::/:/usr/sbin/nologin\n`)
  chmodSync(source, 0o644)
  return { source, target, readOnly: true }
}
