import { createReadStream, type ReadStream } from 'node:fs'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { cdiConfigs } from '#api/cdi/v1beta1/resources.ts'
import { isForbidden, messageOf, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { CommandError, type CliContext } from '../context.ts'
import { progressBar, progressOn } from '../render/progress.ts'
import type { Checksum } from './image-source.ts'
import type { DigestedImage } from './local-image.ts'
import { trustIn } from './upload-trust.ts'

/** Server that takes uploads. */
export interface UploadServer {
  /** `https://host:port` */
  readonly url: string
  /** PEM certificates of the cluster's authority, trusted beside those of the machine. */
  readonly authority?: string
  readonly isInsecure: boolean
}

/** Flags that choose the server. */
export interface UploadFlags {
  readonly uploadproxyUrl?: string
  readonly insecure: boolean
}

/** Finds the server that takes uploads, as the cluster names it. @throws CommandError */
export async function findUploadServer(client: Pick<Client, 'get'>, { uploadproxyUrl, insecure }: UploadFlags): Promise<UploadServer> {
  const status = await configOf(client)
  const url = uploadproxyUrl ?? status.uploadProxyURL ?? ''
  if (url === '')
    throw new CommandError(
      'The cluster does not say where uploads go: add --uploadproxy-url, or set uploadProxyURLOverride of its CDIConfig',
    )
  const { uploadProxyCA: authority = '' } = status
  return {
    url: (/^https?:\/\//.test(url) ? url : `https://${url}`).replace(/\/$/, ''),
    ...(authority === '' ? {} : { authority }),
    isInsecure: insecure,
  }
}

async function configOf(client: Pick<Client, 'get'>): Promise<{ uploadProxyURL?: string; uploadProxyCA?: string }> {
  try {
    return (await found(client.get(cdiConfigs, { name: 'config' })))?.status ?? {}
  } catch (error) {
    if (isForbidden(error)) return {}
    throw error
  }
}

/** Requests of tokens. They are answered, and never stored. */
const uploadTokenRequests: ResourceType<KubeObject> = {
  group: 'upload.cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'UploadTokenRequest',
  plural: 'uploadtokenrequests',
  namespaced: true,
}

/** A file, and the claim that it goes to. */
export interface Upload {
  readonly client: Pick<Client, 'create'>
  readonly server: UploadServer
  readonly key: { readonly namespace: string; readonly name: string }
  readonly image: DigestedImage
}

/** The server does not take the upload now. */
const laterCodes: readonly number[] = [409, 502, 503, 504]
/** Tries in a row that bring nothing: components that are upgraded need some time. */
const attempts = 30
const againMs = 1_000
/** CDI's for clients that do not wait for the disk. */
const path = '/v1beta1/upload-async'

/**
 * Sends a file to the worker of a claim: what is not there yet, where the server can tell. A
 * connection that breaks is tried again. Returns when all of it has been taken. @throws
 * CommandError
 */
export async function uploadFile(context: CliContext, upload: Upload): Promise<void> {
  let reached = 0
  for (let attempt = 1; ; attempt += 1) {
    const answer = await attemptUpload(context, upload)
    if (context.signal.aborted) throw new CommandError('Interrupted: the same command goes on with what has not been sent')
    if (answer.code === 200) return
    // As long as the file gets on, it may take as many connections as it takes.
    if (answer.offset > reached) attempt = 1
    reached = answer.offset
    if (!(answer.code === undefined || laterCodes.includes(answer.code)) || attempt === attempts) {
      const { namespace, name } = upload.key
      throw new CommandError(`${upload.image.path} was not taken for "${namespace}/${name}": ${answer.message}`)
    }
    context.process.stderr.write(`note: the upload is continued: ${answer.message}\n`)
    await context.sleep(againMs)
  }
}

/** What the server said. `code`: undefined if the connection broke. */
interface Answer {
  readonly code: number | undefined
  readonly message: string
  /** Where the upload has begun this time. */
  readonly offset: number
}

async function attemptUpload(context: CliContext, upload: Upload): Promise<Answer> {
  const { image } = upload
  const { algorithm, digits } = image.digest
  const token = await requestToken(upload)
  if (typeof token !== 'string') return token
  // Of an algorithm with 128 digits the first ones are enough for a name.
  const named = `${path}?upload=${algorithm}:${digits.slice(0, 64)}`
  const asked = await exchange(context, upload, { method: 'HEAD', path: named, token, headers: {} })
  const { 'upload-offset': offset = '', 'upload-complete': complete } = asked.headers
  if (complete === '?1') return { code: 200, message: '', offset: image.bytes }
  // CDI does not know uploads that continue. It answers as it does without a name.
  if (asked.code === 200 || asked.code === 404) return send(context, upload, { token, path, offset: undefined })
  if (asked.code !== 204 || !/^\d+$/.test(offset))
    return { code: asked.code, message: asked.message || `the server answered ${asked.code}`, offset: 0 }
  return send(context, upload, { token, path: named, offset: Number(offset) })
}

/** Resolves to what went wrong if another try may help. */
async function requestToken({ client, key }: Upload): Promise<string | Answer> {
  try {
    const { status } = await client.create<KubeObject, { readonly status?: { readonly token?: string } }>(uploadTokenRequests, {
      apiVersion: 'upload.cdi.kubevirt.io/v1beta1',
      kind: 'UploadTokenRequest',
      metadata: key,
      spec: { pvcName: key.name },
    } as KubeObject)
    return status?.token ?? ''
  } catch (error) {
    if (error instanceof StatusError && error.code < 500) throw error
    return { code: undefined, message: messageOf(error), offset: 0 }
  }
}

async function send(
  context: CliContext,
  upload: Upload,
  { token, path: to, offset }: { readonly token: string; readonly path: string; readonly offset: number | undefined },
): Promise<Answer> {
  const { key, image } = upload
  const start = offset ?? 0
  using progress = progressOn(context)
  let done = start
  const file = createReadStream(image.path, { start })
  file.on('data', (chunk) => {
    done += chunk.length
    progress.show(`${key.name}: upload ${progressBar(done, image.bytes)}`)
  })
  const headers = {
    'content-length': Math.max(0, image.bytes - start),
    'content-type': 'application/octet-stream',
    ...(offset === undefined ? {} : { 'upload-length': image.bytes, ...digestField(image.digest) }),
    ...(start > 0 ? { 'upload-offset': start } : {}),
  }
  const answer = await exchange(context, upload, { method: start > 0 ? 'PATCH' : 'POST', path: to, token, headers, body: file })
  return { code: answer.code, message: answer.message || `the server answered ${answer.code}`, offset: start }
}

/** RFC 9530 knows these. */
const digestNames: Readonly<Record<string, string>> = { sha256: 'sha-256', sha512: 'sha-512' }

function digestField({ algorithm, digits }: Checksum): Record<string, string> {
  const name = digestNames[algorithm]
  return name === undefined ? {} : { 'repr-digest': `${name}=:${Buffer.from(digits, 'hex').toString('base64')}:` }
}

interface Question {
  readonly method: string
  readonly path: string
  readonly token: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: ReadStream
}

/** What came back. `code`: undefined if nothing did. */
interface Exchanged {
  readonly code: number | undefined
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

function exchange(context: CliContext, { server }: Upload, { method, path: to, token, headers, body }: Question): Promise<Exchanged> {
  const isTls = server.url.startsWith('https:')
  // Why node:http is not imported: docs/decisions/0008-node-http-by-getbuiltinmodule.md.
  const sendBy = isTls ? request : process.getBuiltinModule('node:http').request
  return new Promise((resolve) => {
    const end = (code: number | undefined, message: string, answered: IncomingMessage['headers'] = {}): void => {
      body?.destroy()
      resolve({ code, message, headers: answered as Record<string, string> })
    }
    const sent = sendBy(`${server.url}${to}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      signal: context.signal,
      ...(isTls ? { ...(server.authority === undefined ? {} : trustIn(server.authority)), rejectUnauthorized: !server.isInsecure } : {}),
    })
    sent.on('response', (response: IncomingMessage) => {
      text(response).then(
        (said) => end(response.statusCode, said.trim(), response.headers),
        ({ message }: Error) => end(undefined, message),
      )
    })
    // After an answer, that is what counts: a server that refuses may close the connection.
    sent.on('error', ({ message }) => setImmediate(() => end(undefined, message)))
    if (body === undefined) return void sent.end()
    body.on('error', ({ message }) => {
      sent.destroy()
      end(undefined, message)
    })
    body.pipe(sent)
  })
}
