import type { Node } from '#api/core/v1/node.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { names, imageHash } from '#features/vmi/index.ts'

/**
 * Whether the agent of a node is older than the launcher that a guest runs in: it would not
 * understand what comes, and its QEMU may refuse it at the very end. Agents say what they are by
 * their launcher's image; one that says nothing is of a release from before that.
 */
export function isAgentOlderThanLauncher({ metadata }: Node, { status }: VirtualMachineInstance): boolean {
  const image = status?.launcherContainerImageVersion ?? ''
  const mark = metadata.labels?.[names.releaseLabel]
  if (image === '' || mark === imageHash(image)) return false
  const own = metadata.annotations?.[names.launcherImageAnnotation]
  // A word that is older than the label was said by an agent that has been replaced since.
  return own === undefined || mark !== imageHash(own) || isOlder(own, image)
}

/**
 * The release that a guest has to go to, as labels of nodes: that of most nodes which could take
 * it, as soon as there is one that must not, open or not. Undefined when all would do: then room
 * decides.
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

/** By the versions in the tags. Images without versions are as old as each other. */
function isOlder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((image) => /:v?(\d+)\.(\d+)\.(\d+)[^:/]*$/.exec(image)?.slice(1).map(Number))
  if (a === undefined || b === undefined) return false
  const differences = a.map((part, index) => part - (b[index] ?? 0))
  return (differences.find((difference) => difference !== 0) ?? 0) < 0
}
