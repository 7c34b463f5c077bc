import { createHash } from 'node:crypto'

/** Shortens a text to a part of a name in nftables, where the name of a policy may be too long. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
