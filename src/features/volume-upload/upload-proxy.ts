import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { ServingSource } from '#features/certificates/index.ts'
import { primeName, requestWorker, volumeNames } from '#features/data-volume/index.ts'
import { answerEarly, endAfterBody } from '#importer/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import { TokenRefused, type UploadTarget, type UploadTokens } from './upload-tokens.ts'

/** Passes uploads on to workers. */
export interface UploadProxy {
  /** True for a path of an upload. */
  handles(request: IncomingMessage): boolean
  /** Answers a request; never rejects. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Dependencies of the proxy. */
export interface UploadProxyOptions {
  readonly client: Pick<Client, 'get' | 'list'>
  readonly tokens: Pick<UploadTokens, 'read'>
  /** Client certificate of virt-api. */
  readonly certificates: Pick<ServingSource, 'current'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly log: Logger
  /** Milliseconds for a worker to become ready. Default ten seconds, CDI's. */
  readonly patienceMs?: number
}

const path = /^\/(v1beta1|v1alpha1)\/upload(-async|-archive|-form|-form-async)?$/
const lookMs = 500
/** Headers of a request that the worker acts on, and of its answer that a client does. */
const passedOn = ['content-length', 'content-type', 'upload-offset', 'upload-complete', 'upload-length', 'repr-digest']
const passedBack = ['content-type', 'content-length', 'upload-offset', 'upload-complete', 'cache-control']
const methods = 'POST, PATCH, HEAD, OPTIONS'

/** The request cannot be passed on. Its message is for the client. */
class UploadRefused extends Error {
  override readonly name = 'UploadRefused'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Creates the proxy. Clients prove nothing but their token, for one claim and five minutes.
 * Bytes are passed on as fast as the worker takes them, and nothing is kept.
 */
export function createUploadProxy(options: UploadProxyOptions): UploadProxy {
  const { log } = options
  return {
    handles: ({ url = '' }) => path.test(pathOf(url)),
    async serve(request, response) {
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      // Any page may upload: it has no other credentials than its token.
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-expose-headers', 'Upload-Offset, Upload-Complete')
      if (request.method === 'OPTIONS') return answerPreflight(request, response)
      try {
        await passOn(options, request, response, gone.signal)
      } catch (error) {
        if (gone.signal.aborted) return
        const { code, message } =
          error instanceof UploadRefused ? error : new UploadRefused(502, 'The worker of the volume could not be reached: try again')
        if (!(error instanceof UploadRefused)) log.warn({ error }, 'An upload was not passed on')
        refuse(request, response, code, message)
      }
    },
  }
}

/** Asked by browsers first. Authorization must be named: a star does not stand for it. */
function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  response
    .writeHead(204, {
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      'access-control-allow-methods': methods,
      'access-control-allow-headers': headers['access-control-request-headers'] ?? 'Authorization',
    })
    .end()
}

async function passOn(options: UploadProxyOptions, request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const target = targetOf(options, request)
  const upload = new URL(request.url ?? '', 'https://proxy').searchParams.get('upload')
  const claim = await readyClaim(options, target, upload !== null, signal)
  if (isArchive(claim) && /-form(-async)?$/.test(pathOf(request.url)))
    throw new UploadRefused(400, 'The volume takes an archive: post the archive itself to /v1beta1/upload-archive')
  const worker = await workerOf(options, claim, signal)
  const onward = await requestWorker(options.certificates, worker, {
    method: request.method ?? 'GET',
    path: `${workerPath(claim, pathOf(request.url))}${upload === null ? '' : `?upload=${encodeURIComponent(upload)}`}`,
    headers: chosen(request.headers, passedOn),
    signal,
  })
  const answered = answerOf(onward)
  request.pipe(onward)
  const answer = await answered
  response.writeHead(answer.statusCode ?? 502, {
    ...(answer.statusCode === 204 ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
    ...chosen(answer.headers, passedBack),
  })
  // The worker may answer before it has read everything, for example that the disk is too large.
  await pipeline(answer, response, { end: false })
  request.unpipe(onward)
  endAfterBody(request, response)
}

function chosen(headers: IncomingMessage['headers'], names: readonly string[]): Record<string, string | string[]> {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))
}

function answerOf(onward: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    onward.once('response', resolve)
    onward.once('error', reject)
  })
}

function targetOf({ tokens }: UploadProxyOptions, { headers }: IncomingMessage): UploadTarget {
  const token = /^Bearer\s+([A-Za-z0-9\-._~+/]+)$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined)
    throw new UploadRefused(400, 'The header Authorization must be "Bearer TOKEN", with the token of an UploadTokenRequest')
  try {
    return tokens.read(token)
  } catch (error) {
    if (error instanceof TokenRefused) throw new UploadRefused(error.isForged ? 401 : 400, error.message)
    throw new UploadRefused(401, 'The token cannot be read')
  }
}

/**
 * Waits until the worker of a claim takes uploads. `isNamed`: a worker that is busy with an upload
 * of a name answers how far it is.
 */
async function readyClaim(
  { client, clock, patienceMs = 10_000 }: UploadProxyOptions,
  { namespace, name }: UploadTarget,
  isNamed: boolean,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  for (const end = clock.now() + patienceMs; ; await clock.sleep(lookMs, signal)) {
    const claim = await found(client.get(persistentVolumeClaims, { namespace, name }, { signal }))
    if (claim === undefined) throw new UploadRefused(503, `rejecting Upload Request for PVC ${name} that doesn't exist`)
    const { annotations = {} } = claim.metadata
    if (annotations[volumeNames.uploadTarget] === undefined) throw new UploadRefused(503, `PVC ${name} is not an upload target`)
    if (annotations[volumeNames.podPhase] === 'Succeeded')
      throw new UploadRefused(503, `rejecting Upload Request for PVC ${name} that already finished uploading`)
    if (annotations[volumeNames.podReady] === 'true' || (isNamed && annotations[volumeNames.podPhase] === 'Running')) return claim
    if (clock.now() > end) throw new UploadRefused(503, `PVC ${name} does not take uploads yet, or another one is under way: try again`)
  }
}

async function workerOf({ client }: UploadProxyOptions, { metadata }: PersistentVolumeClaim, signal: AbortSignal): Promise<Pod> {
  const { namespace = '', uid = '', name = '' } = metadata
  // The volume of a claim with a VolumeUploadSource is filled as that of another claim.
  const prime = await found(client.get(persistentVolumeClaims, { namespace, name: primeName({ metadata }) }, { signal }))
  const filled = prime !== undefined && isControlledBy(prime, { metadata }) ? (prime.metadata.uid ?? '') : uid
  const { items } = await client.list(pods, { namespace, labelSelector: `${volumeNames.fillsLabel}=${filled}`, signal })
  const worker = items.find((pod) => pod.status?.phase === 'Running' && !isBeingDeleted(pod))
  if (worker === undefined) throw new UploadRefused(503, `the worker of PVC ${name} does not run: try again`)
  return worker
}

/** The content of the claim decides, whatever the client asked for. */
function workerPath(claim: PersistentVolumeClaim, asked: string): string {
  if (!isArchive(claim)) return asked
  return asked.replace(/upload.*$/, 'upload-archive')
}

function isArchive({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[volumeNames.contentType] === 'archive'
}

function pathOf(url: string = ''): string {
  return url.split('?', 1)[0] ?? ''
}

function refuse(request: IncomingMessage, response: ServerResponse, code: number, text: string): void {
  if (response.headersSent) response.destroy()
  else answerEarly(request, response, code, text)
}
