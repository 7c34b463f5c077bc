import type { OpenRegistry } from '#importer/registry/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ImageUser, ResolvedImage } from '../options.ts'
import { readFileSystemUse } from '../node/disk-pressure.ts'
import { type CachedImage, openImageCache } from './image-cache.ts'
import { ImageNeverPulled } from './image-never-pulled.ts'
import { decidePull } from './pull-policy.ts'
import { loginsFor, type RegistryLogin } from './pull-secrets.ts'
import { readRegistrySettings } from './registries-file.ts'
import { createSlots } from './slots.ts'

/** Dependencies and settings of pulls. */
export interface PullerOptions {
  /** Folder of pulled images, which the nodes of a machine share. */
  readonly folder: string
  readonly node: string
  /** File with settings of registries; see `registries-file.ts`. It need not exist. */
  readonly registries: string
  /** Folders in which programs that decompress are found. */
  readonly path: string
  readonly clock: Clock
  /** Aborts with the kubelet. */
  readonly signal: AbortSignal
  /** Images that are pulled at once. Default: 3. */
  readonly parallel?: number
}

/** Pulls images of registries to this machine. */
export interface ImagePuller {
  /** Returns an image by the policy of its user. @throws ImageNeverPulled, PullFailed */
  pull(reference: string, user: ImageUser): Promise<ResolvedImage>
}

/** The image cannot be pulled. */
class PullFailed extends Error {
  override readonly name = 'PullFailed'
}

/** Most files and folders of an image. */
const mostEntries = 100_000
/** Bytes that a pull leaves free, since the guests of the machine need some, too. */
const reservedBytes = 1 << 30
const defaultParallel = 3

/** One pull, for all who wait for it. */
interface Flight {
  readonly outcome: Promise<CachedImage>
  readonly stop: AbortController
  users: number
}

/** Creates a puller, and removes what pulls of a killed kubelet have left. */
export function createImagePuller(options: PullerOptions): ImagePuller {
  const { clock, registries, path, signal, folder, parallel = defaultParallel } = options
  const cache = openImageCache(folder, options.node)
  const slots = createSlots(parallel)
  const flights = new Map<string, Flight>()
  /** The last writer of each digest: two names may mean one image. */
  const writers = new Map<string, Promise<void>>()
  const cleaned = cache.clean()
  // Reported by the first pull.
  cleaned.catch(() => {})

  /** Has the files of an image written unless they are here, by one pull at a time. */
  async function ensureContent(digest: string, write: (into: string) => Promise<void>): Promise<void> {
    const before = writers.get(digest) ?? Promise.resolve()
    const turn = before.then(async () => {
      if (!(await cache.has(digest))) await cache.add(digest, write)
    })
    const settled = turn.catch(() => {})
    writers.set(digest, settled)
    try {
      await turn
    } finally {
      if (writers.get(digest) === settled) writers.delete(digest)
    }
  }

  async function download(reference: string, login: RegistryLogin | undefined, known: CachedImage | undefined, stop: AbortSignal) {
    // Only machines that pull images load this.
    const { openRegistry, parseImageReference, resolveImage, unpackImage } = await import('#importer/registry/index.ts')
    const { host } = parseImageReference(reference)
    const settings = await readRegistrySettings(registries, host)
    using open: OpenRegistry = openRegistry(reference, { ...settings, credentials: login })
    const { reader, reference: parsed } = open
    // Asks also for a digest: the registry knows whether the login may read it.
    if (known !== undefined && (await reader.digest(parsed.version, stop)) === known.digest) return known
    const image = await resolveImage(reader, { ...parsed, architecture: undefined }, stop)
    await ensureContent(image.digest, async (into) => {
      const { availableBytes } = await readFileSystemUse(folder)
      const limits = { bytes: Math.max(0, availableBytes - reservedBytes), entries: mostEntries }
      await unpackImage(reader, image, { folder: into, limits }, { path, signal: stop })
    })
    return cache.record(reference, { digest: image.digest, bytes: image.layers.reduce((sum, { size }) => sum + size, 0) })
  }

  /** Tries the logins in turn: a pod may have several for a registry, and some may have expired. */
  async function fetch(reference: string, logins: readonly RegistryLogin[], known: CachedImage | undefined, stop: AbortSignal) {
    const { ImportFailure } = await import('#importer/registry/index.ts')
    await cleaned
    const tries = logins.length === 0 ? [undefined] : logins
    for (const [index, login] of tries.entries()) {
      try {
        return await download(reference, login, known, stop)
      } catch (error) {
        const isRefused = error instanceof ImportFailure && error.reason === 'SourceRefused'
        if (!isRefused || index === tries.length - 1) throw await explained(error)
      }
    }
    throw new PullFailed('there was no login to try')
  }

  /** Adds what to do on this machine to failures that are told for volumes. */
  async function explained(error: unknown): Promise<unknown> {
    const { ImportFailure } = await import('#importer/registry/index.ts')
    if (!(error instanceof ImportFailure)) return error
    const { reason, message } = error
    if (reason === 'CertificateNotTrusted')
      return new PullFailed(message.replace(/: name its authority in certConfigMap$/, `: name its authority in "${registries}"`), {
        cause: error,
      })
    if (reason === 'VolumeTooSmall')
      return new PullFailed(`The image has more bytes than are free in "${folder}": remove what is not needed`, { cause: error })
    return error
  }

  /** Joins the pull of the same image with the same logins, or begins one. */
  async function shared(reference: string, logins: readonly RegistryLogin[], known: CachedImage | undefined, own: AbortSignal) {
    const key = JSON.stringify([reference, logins, known?.digest])
    const flight = flights.get(key) ?? begin(key, reference, logins, known)
    flight.users++
    try {
      return await unlessAborted(flight.outcome, own)
    } finally {
      flight.users--
      if (flight.users === 0) {
        flight.stop.abort()
        if (flights.get(key) === flight) flights.delete(key)
      }
    }
  }

  function begin(key: string, reference: string, logins: readonly RegistryLogin[], known: CachedImage | undefined): Flight {
    const stop = new AbortController()
    const either = AbortSignal.any([stop.signal, signal])
    const outcome = slots.run(async () => {
      either.throwIfAborted()
      return fetch(reference, logins, known, either)
    })
    outcome.catch(() => {})
    const flight = { outcome, stop, users: 0 }
    flights.set(key, flight)
    return flight
  }

  return {
    async pull(reference, user) {
      const known = await cache.find(reference)
      const decision = decidePull(user.policy, known !== undefined)
      if (decision === 'refuse') throw new ImageNeverPulled(`Container image "${reference}" is not present with pull policy of Never`)
      if (decision === 'use' && known !== undefined) {
        user.onEvent('Normal', 'Pulled', `Container image "${reference}" already present on machine`)
        return resolved(reference, known)
      }
      const { parseImageReference } = await import('#importer/registry/index.ts')
      const { host, repository } = parseImageReference(reference)
      const logins = loginsFor(host, repository, await user.logins())
      user.onEvent('Normal', 'Pulling', `Pulling image "${reference}"`)
      const started = clock.now()
      const image = await shared(reference, logins, known, AbortSignal.any([user.signal, signal]))
      const seconds = ((clock.now() - started) / 1000).toFixed(3)
      const size = `Image size: ${image.bytes} bytes.`
      user.onEvent('Normal', 'Pulled', `Successfully pulled image "${reference}" in ${seconds}s (${seconds}s including waiting). ${size}`)
      return resolved(reference, image)
    },
  }
}

function resolved(reference: string, { folder, digest }: CachedImage): ResolvedImage {
  const name = reference.replace(/@.*$/, '').replace(/:[^:/]*$/, '')
  return { rootDirectory: folder, entrypoint: [], id: `${name}@${digest}` }
}

/** Rejects as soon as the signal aborts. Leaves no listener behind. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
