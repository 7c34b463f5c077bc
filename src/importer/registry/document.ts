import { ImportFailure } from '../failure.ts'
import { largestDocument } from './manifest.ts'

/** Reads a small document whole. @throws ImportFailure when it is not small */
export async function readDocument(chunks: AsyncIterable<Buffer>, what: string): Promise<Buffer> {
  const read: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > largestDocument)
      throw new ImportFailure(
        'ImageInvalid',
        `The ${what} of the image has more than ${largestDocument} bytes: build and push the image again`,
      )
    read.push(chunk)
  }
  return Buffer.concat(read)
}
