import { createHash } from 'node:crypto'

/** Returns a hash of an image name that fits into a label value. */
export function imageHash(image: string): string {
  return createHash('sha256').update(image).digest('hex').slice(0, 16)
}
