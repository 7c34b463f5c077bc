import type { Node } from '#api/core/v1/node.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { names, imageHash } from '#features/vmi/index.ts'

/**
 * Reports whether the node's agent is older than the guest's launcher: it would not understand its
 * state, and its QEMU may refuse the migration stream at the very end. Agents report their
 * launcher's image; one without is of an older release.
 */
export function isAgentOlderThanLauncher({ metadata }: Node, { status }: VirtualMachineInstance): boolean {
  const image = status?.launcherContainerImageVersion ?? ''
  const mark = metadata.labels?.[names.releaseLabel]
  if (image === '' || mark === imageHash(image)) return false
  const own = metadata.annotations?.[names.launcherImageAnnotation]
  // An annotation that does not match the label is from an agent that was replaced since.
  return own === undefined || mark !== imageHash(own) || isOlder(own, image)
}

/**
 * Returns node labels that select the release to migrate to: the release of most eligible nodes, as
 * soon as any node is not eligible by its version. Undefined when all are: then capacity decides.
 */
export function targetReleaseSelector(
  vmi: VirtualMachineInstance,
  all: readonly Node[],
  fit: readonly Node[],
): Readonly<Record<string, string>> | undefined {
  if (!all.some((node) => isAgentOlderThanLauncher(node, vmi))) return undefined
  const byMark = Map.groupBy(fit, ({ metadata }) => metadata.labels?.[names.releaseLabel] ?? '')
  const [most] = [...byMark].toSorted(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
  return most === undefined ? undefined : { [names.releaseLabel]: most[0] }
}

/** Compares the versions in image tags. Images without versions are equal. */
function isOlder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((image) => /:v?(\d+)\.(\d+)\.(\d+)[^:/]*$/.exec(image)?.slice(1).map(Number))
  if (a === undefined || b === undefined) return false
  const differences = a.map((part, index) => part - (b[index] ?? 0))
  return (differences.find((difference) => difference !== 0) ?? 0) < 0
}
