import { createHash } from 'node:crypto'

/** Name space of the firmware UUIDs that KubeVirt derives from the names of VMs. */
const nameSpace = Buffer.from('6a1a24a1406146078bf4a3963d0c5895', 'hex')

/** Returns the firmware UUID (version 5) that KubeVirt gives a guest whose VM sets none. */
export function firmwareUuidOf(vmName: string): string {
  const hash = createHash('sha1').update(nameSpace).update(vmName).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
