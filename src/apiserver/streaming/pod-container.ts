import type { Pod } from '#api/core/v1/pod.ts'
import { badRequest } from '#apimachinery/errors.ts'

/**
 * Returns the named container, or the only one. @throws StatusError 400 in kube-apiserver's words
 */
export function chooseContainer(pod: Pod, asked: string): string {
  const { name = '' } = pod.metadata
  const containers = pod.spec.containers.map((container) => container.name)
  const init = (pod.spec.initContainers ?? []).map((container) => container.name)
  const [only] = containers
  if (asked === '' && containers.length === 1 && only !== undefined) return only
  if (asked === '') {
    const choice = `choose one of: [${containers.join(' ')}]${init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`}`
    throw badRequest(`a container name must be specified for pod ${name}, ${choice}`)
  }
  if (!containers.includes(asked) && !init.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`)
  return asked
}

/** Returns the node of a pod. @throws StatusError 400 in kube-apiserver's words */
export function nodeOf(pod: Pod): string {
  const { nodeName = '' } = pod.spec
  if (nodeName === '') throw badRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`)
  return nodeName
}
