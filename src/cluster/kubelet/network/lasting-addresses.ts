import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { claimFile } from '#runtime/process/claim-file.ts'
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
    if (claimFile(join(directory, address), key)) return address
  }
  throw new ContainerConfigError(`no address is left for "${key}": remove files of keys that are gone from "${directory}"`)
}
