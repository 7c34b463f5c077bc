import { createHash } from 'node:crypto'

/** What stands for an image in the value of a label, which cannot hold its name. */
export function imageHash(image: string): string {
  return createHash('sha256').update(image).digest('hex').slice(0, 16)
}
