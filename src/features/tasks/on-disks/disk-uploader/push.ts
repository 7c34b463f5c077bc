import type { LayoutImage } from '#oci/image/image-layout.ts'
import type { Credentials } from '#oci/push/credentials.ts'
import { pushImage } from '#oci/push/push-images.ts'
import type { RegistryAddress } from '#oci/push/registry-address.ts'
import { createRegistryClient, type RegistryClient } from '#oci/push/registry-client.ts'
import { RegistryError } from '#oci/push/registry-error.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import type { TaskContext } from '../../task.ts'
import type { Upload } from './parameters.ts'
import { createReporter, megabytes } from './reporter.ts'

/** Tries in a row that fail, after which the registry is given up. */
const mostTries = 5
/** Milliseconds before the second try; each further one waits twice as long. */
const firstWaitMs = 2_000

/** Pushes to one registry. */
export interface Pusher {
  /**
   * Asks for the image, so that a wrong login is found before a disk is read. @throws TaskFailed
   */
  check(): Promise<void>
  /** Pushes an image of a layout. @throws TaskFailed */
  push(folder: string, image: LayoutImage): Promise<void>
}

/** Creates what pushes to the destination of an upload. */
export function createPusher(context: TaskContext, { destination, pushTimeoutMs }: Upload, credentials: Credentials): Pusher {
  const { clock, log } = context
  const { host, repository, version } = destination
  const address: RegistryAddress = { name: host, origin: `https://${host}`, prefix: '' }
  const clientFor = (signal: AbortSignal): RegistryClient => {
    const tell = createReporter(clock, log)
    return createRegistryClient({
      address,
      found: { credentials, hint: 'check the Secret of SECRET_NAME' },
      signal,
      onSent: (sent, total) => tell(() => `Pushing: ${megabytes(sent)} of ${megabytes(total)} (${Math.floor((100 * sent) / total)} %)`),
    })
  }
  return {
    async check() {
      await refusing(() => clientFor(context.signal).manifestDigest(repository, version))
    },
    async push(folder, image) {
      const limit = new AbortController()
      using _limit = clock.after(pushTimeoutMs, () => limit.abort(tooSlow(pushTimeoutMs)))
      const signal = AbortSignal.any([context.signal, limit.signal])
      const client = clientFor(signal)
      const size = image.manifest.layers.reduce((sum, layer) => sum + layer.size, 0)
      log(`Pushing ${megabytes(size)} to ${host}/${repository}:${version}`)
      const target = { image, repository, tag: version, places: new Map<string, string>() }
      await refusing(() => persistently(context, signal, () => pushImage({ folder, address, client }, target)))
    },
  }
}

/** Turns what a registry refuses into the end of the task. */
async function refusing<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error
    throw new TaskFailed(error.status === 401 || error.status === 403 ? exitCodes.preconditionFailed : exitCodes.failed, error.message, {
      cause: error,
    })
  }
}

/** Tries again what may get better. Blobs that the registry has are not sent again. */
async function persistently<T>({ clock, log }: TaskContext, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RegistryError) || !isPassing(error) || failures >= mostTries) throw error
      log(`Push again after try ${failures}: ${error.message}`)
      await clock.sleep(firstWaitMs * 2 ** (failures - 1), signal)
    }
  }
}

function isPassing({ status }: RegistryError): boolean {
  return status === 0 || status === 429 || status >= 500
}

function tooSlow(limitMs: number): TaskFailed {
  return new TaskFailed(exitCodes.waitFailed, `The image was not pushed in ${limitMs / 60_000} minutes: give more by PUSH_TIMEOUT`)
}
