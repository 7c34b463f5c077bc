import { type FSWatcher, mkdirSync, readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import { parseStaticPod } from './static-pod.ts'

/** Dependencies of a manifest directory. */
export interface ManifestDirectoryOptions {
  readonly path: string
  readonly nodeName: string
  readonly clock: Clock
  readonly log: Logger
  /** Milliseconds between two full reads, for when a notification was lost. Default 20 000. */
  readonly rescanMs?: number
  /** A file appeared, changed or went. */
  readonly onChange: () => void
}

/** The static pods of a node, as their manifests say. */
export interface ManifestDirectory extends Disposable {
  /** All pods, by uid. A manifest that cannot be read right now stands for what it said before. */
  read(): ReadonlyMap<string, Pod>
}

/** Several notifications of one write come within this time (milliseconds). */
const settleMs = 20

/** Watches the directory until disposed. Creates it when it is missing. */
export function openManifestDirectory(options: ManifestDirectoryOptions): ManifestDirectory {
  const { path, nodeName, clock, log, rescanMs = 20_000, onChange } = options
  mkdirSync(path, { recursive: true })
  let known = new Map<string, { text: string; pod: Pod }>()
  let settling: Disposable | undefined
  let rescan = clock.after(rescanMs, look)
  const watcher = watchOrNot(path, () => (settling ??= clock.after(settleMs, notify)))

  function notify(): void {
    settling = undefined
    onChange()
  }
  function look(): void {
    rescan = clock.after(rescanMs, look)
    onChange()
  }
  function readOne(file: string): { text: string; pod: Pod } | undefined {
    const before = known.get(file)
    try {
      const text = readFileSync(join(path, file), 'utf8')
      return text === before?.text ? before : { text, pod: parseStaticPod(text, file, nodeName) }
    } catch (error) {
      log.error({ file, error }, 'static pod manifest is not usable')
      return before
    }
  }
  return {
    read() {
      const files = readdirSync(path).filter((file) => /^[^.].*\.(yaml|yml|json)$/.test(file))
      known = new Map(
        files.flatMap((file) => {
          const found = readOne(file)
          return found === undefined ? [] : [[file, found] as const]
        }),
      )
      return new Map([...known.values()].map(({ pod }) => [pod.metadata.uid ?? '', pod]))
    },
    [Symbol.dispose]: () => {
      watcher?.close()
      settling?.[Symbol.dispose]()
      rescan[Symbol.dispose]()
    },
  }
}

// Without inotify (its watches may be used up) the rescan has to do.
function watchOrNot(path: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, onEvent)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
