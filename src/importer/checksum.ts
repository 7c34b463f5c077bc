import { createHash } from 'node:crypto'
import { freeChunk } from './chunk.ts'
import type { Content } from './content.ts'
import { ImportFailure } from './failure.ts'

const lengths: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 }

/** Parses `sha256:…`. @throws ImportFailure */
export function parseChecksum(text: string): { readonly algorithm: string; readonly hex: string } {
  const [, algorithm = '', hex = ''] = /^([a-z0-9]+):([0-9a-fA-F]+)$/.exec(text.trim()) ?? []
  if (lengths[algorithm] !== hex.length || hex === '')
    throw new ImportFailure(
      'TaskInvalid',
      'The checksum of the source is none: it is md5, sha1, sha256 or sha512, a colon, and the digest in hexadecimal',
    )
  return { algorithm, hex: hex.toLowerCase() }
}

/**
 * Computes the checksum of the bytes as they arrive, and compares it at their end. `before` gives
 * the bytes in front of `start`, which were read by an earlier run. @throws ImportFailure
 */
export function withChecksum(content: Content, checksum: string, before: () => AsyncIterable<Buffer>): Content {
  const { algorithm, hex } = parseChecksum(checksum)
  const hash = createHash(algorithm)
  async function* hashed(): AsyncGenerator<Buffer> {
    if (content.start > 0)
      for await (const chunk of before()) {
        hash.update(chunk)
        freeChunk(chunk)
      }
    for await (const chunk of content.chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  return {
    ...content,
    chunks: hashed(),
    async verify() {
      await content.verify()
      const found = hash.digest('hex')
      if (found !== hex)
        throw new ImportFailure(
          'ChecksumMismatch',
          `The file has the ${algorithm} ${found}, and ${hex} was asked for: check the address and the checksum of the source`,
        )
    },
  }
}
