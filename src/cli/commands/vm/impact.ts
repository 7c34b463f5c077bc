import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { impactOf, readClusterState, readRelatedObjects, type Impact, type ObjectReference } from '#features/plan/index.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { paintFor, table, type Paint } from '#cli/render/terminal.ts'
import { print, vmResourceName, type OutputFormat } from '#cli/render/print.ts'
import { progressOn } from '#cli/render/progress.ts'
import { candidatesOf, chooseTarget, parseTarget } from '#cli/arguments/targets.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly output: OutputFormat
}

/** Lists the users of an object: VMs, ControllerRevisions, snapshots and migration policies. */
export async function impact(this: CliContext, flags: Flags, word: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const target = await findTarget(cluster, word, flags.namespace ?? cluster.namespace)
  const within = target.namespace ?? flags.namespace
  using progress = progressOn(this)
  const [state, related] = await Promise.all([
    readClusterState(cluster.client, {
      ...(within === undefined ? {} : { namespace: within }),
      signal: this.signal,
      onProgress: (objects) => progress.show(`${objects} objects read`),
    }),
    readRelatedObjects(cluster.client),
  ])
  const result = await impactOf(state, target, related)
  progress[Symbol.dispose]()
  if (!result.exists && result.virtualMachines.length === 0 && result.revisions.length === 0) {
    throw new CommandError(`${labelOf(target)} does not exist, and nothing uses it`)
  }
  print(this, flags.output, {
    kind: 'Impact',
    document: result,
    names: result.virtualMachines.map(({ name }) => vmResourceName(name)),
    text: (isWide) => render(result, { isWide, paint: paintFor(this, 'stdout') }),
  })
}

/** Resolves an argument; a name without a kind is looked up in every supported kind. */
async function findTarget({ client }: ChosenCluster, word: string, namespace: string): Promise<ObjectReference> {
  if (word === '' || word.includes('/')) return parseTarget(word, namespace)
  const candidates = candidatesOf(word, namespace)
  const objects = await Promise.all(candidates.map((reference) => found(client.get(resourceOf(reference.kind), reference))))
  return chooseTarget(
    word,
    namespace,
    candidates.filter((_, index) => objects[index] !== undefined),
  )
}

function resourceOf(kind: string): ResourceType<KubeObject> {
  const resource = [
    virtualMachines,
    virtualMachineInstancetypes,
    virtualMachineClusterInstancetypes,
    virtualMachinePreferences,
    virtualMachineClusterPreferences,
  ].find((each) => each.kind === kind)
  if (resource === undefined) throw new CommandError(`Nothing is known of the uses of ${kind}`)
  return resource
}

const uses = { captured: 'keeps its copy', live: 'has no copy yet', guest: 'only its guest, until it is restarted' } as const

function render(result: Impact, { isWide, paint }: { isWide: boolean; paint: Paint }): string {
  const { object, exists, virtualMachines, revisions, snapshots, migrationPolicies } = result
  const isVm = object.kind === 'VirtualMachine'
  const rows = virtualMachines.map(({ namespace, name, running, uses: how, generation, revision }) => [
    `${namespace}/${name}`,
    running ? 'running' : 'halted',
    isVm ? '' : uses[how],
    generation === undefined ? '' : `generation ${generation}`,
    ...(isWide ? [revision ?? ''] : []),
  ])
  const stranded = isVm ? 0 : virtualMachines.filter((vm) => vm.uses === 'live').length
  return [
    `${paint('bold', labelOf(object))}${exists ? '' : paint('red', '  does not exist any more')}\n\n`,
    virtualMachines.length === 0 ? 'No VM uses it.\n' : table(rows),
    stranded === 0 ? '' : paint('yellow', `\n${stranded} of them cannot start when it is deleted now.\n`),
    `\ncopies: ${revisions.length}\n`,
    ...(isWide
      ? [table(revisions.map(({ namespace, name, shared, owner = shared === true ? 'shared' : '' }) => [`  ${namespace}/${name}`, owner]))]
      : []),
    line('snapshots', snapshots),
    line('migration policies', migrationPolicies),
  ].join('')
}

/** Omits resources that the cluster does not serve. */
function line(what: string, names: readonly string[] | undefined): string {
  return names === undefined ? '' : `${what}: ${names.length === 0 ? 'none' : names.join(', ')}\n`
}

function labelOf({ kind, name, namespace, generation }: ObjectReference): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}${generation === undefined ? '' : `, generation ${generation}`}`
}
