import { type ContainerAddress, ContainerNotFound, findContainer } from '../pod/find-container.ts'
import { logPathOf, readContainerRecords } from '../container/container-record.ts'

/** Container and run of a log. */
export interface LogAddress extends ContainerAddress {
  /** The run before the current one. Default false. */
  readonly previous?: boolean
}

/** A run of a container and where its output is. */
export interface FoundLog {
  readonly path: string
  /** Reports whether the run may still write. Reads the disk. */
  readonly isOpen: () => boolean
}

/**
 * Finds a log among the pods of a node, whether or not a kubelet runs. @throws ContainerNotFound
 */
export function findLog(podsDirectory: string, address: LogAddress): FoundLog {
  const { spec, directory } = findContainer(podsDirectory, address)
  const record = readContainerRecords(directory)[address.previous === true ? 1 : 0]
  if (record === undefined) {
    const which = `container "${spec.name}" in pod "${address.pod}"`
    throw new ContainerNotFound(address.previous === true ? `previous terminated ${which} not found` : `${which} is waiting to start`)
  }
  const isOpen = (): boolean => readContainerRecords(directory).some((one) => one.restart === record.restart && one.state !== 'exited')
  return { path: logPathOf(directory, record.restart), isOpen }
}
