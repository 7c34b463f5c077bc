import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { ImportFailure } from '../failure.ts'

/** Name of the part with the file. CDI's; it passes over all others, too. */
const partName = 'file'
/** Bytes of a part that is passed over, and of all its headers. */
const limits = { fieldSize: 1 << 20, fields: 100, parts: 200, headerPairs: 100 }

/**
 * Finds the file in a form. It is read as it arrives, and fails if the form ends before it.
 * @throws ImportFailure
 */
export async function fileOfForm(request: IncomingMessage): Promise<Readable> {
  const wrong = (why: string): ImportFailure =>
    new ImportFailure('FormatUnsupported', `The form is wrong (${why}): send multipart/form-data with a part "${partName}"`)
  const { 'content-type': type = '' } = request.headers
  if (!/^multipart\/form-data\s*;/i.test(type)) throw wrong('it is none')
  return new Promise((resolve, reject) => {
    let file: Readable | undefined
    const fail = (error: Error): void => {
      request.unpipe(form)
      if (file === undefined) reject(error)
      else file.destroy(error)
    }
    const form = new Busboy({ headers: { ...request.headers, 'content-type': type }, limits, isPartAFile: (name) => name === partName })
    form.on('file', (_name, part) => {
      if (file !== undefined) return void part.resume()
      file = part
      resolve(part)
    })
    form.on('error', (error) => fail(wrong((error as Error).message)))
    form.on('finish', () => {
      if (file === undefined) reject(wrong('it has no such part'))
    })
    request.once('error', fail)
    request.once('close', () => {
      if (!request.complete) fail(new ImportFailure('SourceInterrupted', 'The upload ended too early: upload the file again'))
    })
    request.pipe(form)
  })
}
