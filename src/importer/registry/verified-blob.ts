import { createHash } from 'node:crypto'
import type { Content } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import { algorithmOf, type Descriptor } from './manifest.ts'

/**
 * The bytes of a blob. Fails at their end if they are not those of the digest, so that what is made
 * of them must not be used before. @throws ImportFailure
 */
export async function* verified({ digest, size }: Descriptor, { chunks }: Content): AsyncGenerator<Buffer> {
  const algorithm = algorithmOf(digest)
  const hash = createHash(algorithm)
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > size) throw mismatch(digest, `more than ${size} bytes`)
    hash.update(chunk)
    yield chunk
  }
  const found = `${algorithm}:${hash.digest('hex')}`
  if (found !== digest) throw mismatch(digest, `${found} with ${bytes} bytes`)
}

function mismatch(digest: string, found: string): ImportFailure {
  return new ImportFailure(
    'DigestMismatch',
    `The registry gives ${found} for the blob ${digest}: what it sends is damaged, or not the image`,
  )
}
