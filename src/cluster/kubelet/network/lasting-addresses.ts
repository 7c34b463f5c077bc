import { createHash, randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ContainerConfigError } from '../environment/configuration-source.ts'

/** Hosts per number: 0 is the network's own, and 255 holds the link to the machine. */
const hosts = 254
const attempts = 64

/**
 * Returns the address of a key, the same for ever. Kubelets of several nodes share the folder: an
 * address belongs to the key that first linked the file of that name. An address stays taken when
 * its pod is gone, since a VM of that name may come back. @throws ContainerConfigError
 */
export function allocateAddress(directory: string, prefix: string, key: string): string {
  mkdirSync(directory, { recursive: true })
  for (let attempt = 0; attempt < attempts; attempt++) {
    const [a = 0, b = 0, c = 0, d = 0] = createHash('sha256').update(`${key}#${attempt}`).digest()
    const address = `${prefix}.${1 + ((a * 256 + b) % hosts)}.${1 + ((c * 256 + d) % hosts)}`
    if (claim(join(directory, address), key)) return address
  }
  throw new ContainerConfigError(`no address is left for "${key}": remove files of keys that are gone from "${directory}"`)
}

/** Linking a complete file makes the claim: a process that is killed leaves none or a whole one. */
function claim(path: string, key: string): boolean {
  const owner = readOwner(path)
  if (owner !== undefined) return owner === key
  const temporary = `${path}.${randomUUID()}`
  writeFileSync(temporary, key, { mode: 0o600 })
  try {
    linkSync(temporary, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readOwner(path) === key
  } finally {
    rmSync(temporary, { force: true })
  }
}

function readOwner(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
