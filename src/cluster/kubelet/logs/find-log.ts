import { readdirSync } from 'node:fs'
import { podDirectory } from '../pod/pod-directory.ts'
import { loadPod, type SavedPod } from '../pod/saved-pod.ts'
import { allContainers } from '../pod/container-view.ts'
import { logPathOf, readContainerRecords } from '../process/container-record.ts'

/** Whose log. */
export interface LogAddress {
  readonly namespace: string
  readonly pod: string
  /** Default: the only one. */
  readonly container?: string
  /** The run before the current one. Default false. */
  readonly previous?: boolean
}

/** A run of a container and where its output is. */
export interface FoundLog {
  readonly path: string
  /** Whether more may come. Reads the disk. */
  readonly isOpen: () => boolean
}

/** No such pod, container or run on this node. */
export class LogNotFound extends Error {
  override readonly name = 'LogNotFound'
}

/** Finds a log among the pods of a node, whether or not a kubelet runs. @throws LogNotFound */
export function findLog(podsDirectory: string, address: LogAddress): FoundLog {
  const saved = findPod(podsDirectory, address)
  const container = containerOf(saved, address)
  const directory = podDirectory(podsDirectory, saved.pod.metadata.uid ?? '').container(container)
  const record = readContainerRecords(directory)[address.previous === true ? 1 : 0]
  if (record === undefined) {
    const which = `container "${container}" in pod "${address.pod}"`
    throw new LogNotFound(address.previous === true ? `previous terminated ${which} not found` : `${which} is waiting to start`)
  }
  const isOpen = (): boolean => readContainerRecords(directory).some((one) => one.restart === record.restart && one.state !== 'exited')
  return { path: logPathOf(directory, record.restart), isOpen }
}

function findPod(podsDirectory: string, { namespace, pod }: LogAddress): SavedPod {
  const found = readdirSync(podsDirectory)
    .flatMap((uid) => loadPod(podDirectory(podsDirectory, uid)) ?? [])
    .filter(({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === pod)
    .toSorted((a, b) => b.acceptedAt - a.acceptedAt)[0]
  if (found === undefined) throw new LogNotFound(`pod "${namespace}/${pod}" is not on this node`)
  return found
}

function containerOf({ pod }: SavedPod, address: LogAddress): string {
  const names = allContainers(pod).map(({ name }) => name)
  const name = address.container ?? (pod.spec.containers.length === 1 ? pod.spec.containers[0]?.name : undefined)
  if (name === undefined)
    throw new LogNotFound(`a container name must be specified for pod ${address.pod}, choose one of: [${names.join(' ')}]`)
  if (!names.includes(name)) throw new LogNotFound(`container ${name} is not valid for pod ${address.pod}`)
  return name
}
