import type { IncomingMessage } from 'node:http'
import { ImportFailure } from '../failure.ts'

/** Turns an error of a connection into a failure. */
export function connectionFailure(url: URL, cause: unknown): ImportFailure {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const detail = code === '' || message.includes(code) ? message : `${code}: ${message}`
  if (isCertificateError(code))
    return new ImportFailure(
      'CertificateNotTrusted',
      `The certificate of "${url.host}" is not trusted (${detail}): name its authority in certConfigMap`,
      { cause },
    )
  return new ImportFailure('SourceUnreachable', `Cannot read from "${url.host}" (${detail}): check the address and the network to it`, {
    cause,
  })
}

function isCertificateError(code: string): boolean {
  return /CERT|SIGNED|ISSUER|ALTNAME|UNABLE_TO_VERIFY/.test(code) && !code.startsWith('ERR_SSL')
}

/** Turns an answer with an unexpected status into a failure, and gives up its body. */
export async function answerFailure(url: URL, body: IncomingMessage): Promise<ImportFailure> {
  const status = body.statusCode ?? 0
  const said = await beginning(body)
  const what = `"${url.host}" answers ${status}${said === '' ? '' : ` (${said})`} for "${url.pathname}"`
  if (status === 404 || status === 410)
    return new ImportFailure('SourceNotFound', `${what}: check the address of the source`, { fatal: false })
  if (status === 401 || status === 403)
    return new ImportFailure('SourceRefused', `${what}: check the Secret with the credentials, and what they may read`)
  if (status === 429 || status >= 500 || status === 408)
    return new ImportFailure('SourceUnreachable', `${what}: the server cannot serve it now`)
  return new ImportFailure('SourceRefused', `${what}: check the address of the source`)
}

const longestQuote = 200
/** Milliseconds for an error page. */
const quotePatienceMs = 2_000

/** The first words of an error page, as one line of plain characters. */
async function beginning(body: IncomingMessage): Promise<string> {
  let text = ''
  const timer = setTimeout(() => body.destroy(), quotePatienceMs)
  try {
    for await (const chunk of body) {
      text += (chunk as Buffer).toString('latin1')
      if (text.length >= longestQuote) break
    }
  } catch {
    // What came before the connection ended is still worth a look.
  }
  clearTimeout(timer)
  body.destroy()
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[^\x20-\x7E]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, longestQuote)
}
