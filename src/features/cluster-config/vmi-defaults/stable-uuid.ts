import { createHash } from 'node:crypto'

/** Name space of the generated UUIDs, so that they differ from those of other projects. */
const nameSpace = Buffer.from('6f3b0c1e9a5d4e72b8c43d1f27a9e650', 'hex')

/** Returns the UUID (version 5) of a name: the same at any time and in any process. */
export function stableUuid(name: string): string {
  return uuidIn(nameSpace, name)
}

/** Returns the UUID (version 5) of a name in a name space of 16 bytes. */
export function uuidIn(space: Buffer, name: string): string {
  const hash = createHash('sha1').update(space).update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
