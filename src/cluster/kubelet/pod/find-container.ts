import { readdirSync } from 'node:fs'
import type { Container } from '#api/core/v1/container.ts'
import { allContainers } from './container-view.ts'
import { podDirectory } from './pod-directory.ts'
import { loadPod, type SavedPod } from './saved-pod.ts'

/** Address of a container: namespace, pod and name. */
export interface ContainerAddress {
  readonly namespace: string
  readonly pod: string
  /** Default: the only one. */
  readonly container?: string
}

/** No such pod, container or run on this node. */
export class ContainerNotFound extends Error {
  override readonly name = 'ContainerNotFound'
}

/** A container as it lies on disk. */
export interface FoundContainer {
  readonly saved: SavedPod
  readonly spec: Container
  /** Directory of its records and logs. */
  readonly directory: string
}

/** Finds the newest pod of a name on this node. @throws ContainerNotFound */
export function findPod(podsDirectory: string, { namespace, pod }: Pick<ContainerAddress, 'namespace' | 'pod'>): SavedPod {
  const found = readdirSync(podsDirectory)
    .flatMap((uid) => loadPod(podDirectory(podsDirectory, uid)) ?? [])
    .filter(({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === pod)
    .toSorted((a, b) => b.acceptedAt - a.acceptedAt)[0]
  if (found === undefined) throw new ContainerNotFound(`pod "${namespace}/${pod}" is not on this node`)
  return found
}

/**
 * Finds a container among the pods of a node, whether or not a kubelet runs. @throws
 * ContainerNotFound
 */
export function findContainer(podsDirectory: string, address: ContainerAddress): FoundContainer {
  const saved = findPod(podsDirectory, address)
  const spec = containerOf(saved, address)
  return { saved, spec, directory: podDirectory(podsDirectory, saved.pod.metadata.uid ?? '').container(spec.name) }
}

function containerOf({ pod }: SavedPod, address: ContainerAddress): Container {
  const containers = allContainers(pod)
  const only = pod.spec.containers.length === 1 ? pod.spec.containers[0] : undefined
  const found = address.container === undefined ? only : containers.find(({ name }) => name === address.container)
  if (found !== undefined) return found
  if (address.container !== undefined) throw new ContainerNotFound(`container ${address.container} is not valid for pod ${address.pod}`)
  const names = containers.map(({ name }) => name).join(' ')
  throw new ContainerNotFound(`a container name must be specified for pod ${address.pod}, choose one of: [${names}]`)
}
