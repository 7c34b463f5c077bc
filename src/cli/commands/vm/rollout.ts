import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { retryOnConflict } from '#client/retry-on-conflict.ts'
import { isRefreshed } from '#features/instancetype/index.ts'
import {
  chooseRevision,
  matcherFor,
  NoSuchRevision,
  plan,
  readClusterState,
  refreshPatch,
  type Change,
  type NumberedEntry,
  type PlannedVm,
} from '#features/plan/index.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { paintFor } from '#cli/render/terminal.ts'
import { renderVm } from '#cli/render/plan.ts'
import { print, vmResourceName, type OutputFormat } from '#cli/render/print.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { getVm } from '#cli/cluster/read.ts'
import { historyOf } from '#cli/cluster/vm-history.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly output: OutputFormat
}

interface WriteFlags extends Flags {
  readonly dryRun: boolean
}

interface UndoFlags extends WriteFlags {
  readonly to?: string
  readonly family?: 'instancetype' | 'preference'
}

/** Moves a VM to the newest generation of its instance type and preference. */
export async function refresh(this: CliContext, flags: WriteFlags, target: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const key = parseVmKey(target, flags.namespace ?? cluster.namespace)
  const asked = new Date(this.now()).toISOString()
  const { planned, isNewest } = await retryOnConflict(async () => {
    const vm = await getVm(cluster.client, key)
    const predicted = await predict(cluster, { kind: 'refresh', vm: key })
    // An unchanged VM has a reason only when it cannot be refreshed.
    if (predicted?.effect === 'unchanged' && predicted.reason !== undefined) throw refusal(key, predicted.reason)
    const isPinned = [vm.spec.instancetype, vm.spec.preference].some((matcher) => (matcher?.revisionName ?? '') !== '')
    if (predicted?.effect === 'unchanged' && !isPinned) return { planned: predicted, isNewest: true }
    await write(cluster, vm, { body: refreshPatch(vm, asked), dryRun: flags.dryRun })
    return { planned: predicted, isNewest: false }
  })
  if (isNewest) {
    show(this, flags, { done: 'has the newest generations already', planned, key })
    return
  }
  if (!flags.dryRun && !(await isHandled(this, cluster, key, asked))) {
    this.process.stderr.write(
      'warning: no controller has taken it yet: KubeVirt itself knows no refresh, and steadyvm may be busy or down\n',
    )
  }
  show(this, flags, { done: 'refreshed', planned, key })
}

/** Pins a VM to an earlier revision until it is refreshed. */
export async function undo(this: CliContext, flags: UndoFlags, target: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const key = parseVmKey(target, flags.namespace ?? cluster.namespace)
  const { entry, planned } = await retryOnConflict(async () => {
    const vm = await getVm(cluster.client, key)
    const chosen = choose(vm, await historyOf(cluster.client, vm), flags)
    const matcher = matcherFor(vm, chosen)
    const predicted = await predict(cluster, { kind: 'pin', vm: key, family: chosen.family, matcher })
    await write(cluster, vm, { body: { spec: { [chosen.family]: matcher } }, dryRun: flags.dryRun })
    return { entry: chosen, planned: predicted }
  })
  show(this, flags, { done: `pinned to revision ${entry.number} of its ${entry.family} (${entry.revision})`, planned, key })
}

/** Milliseconds for a controller to handle a refresh before the user is warned. */
const refreshTimeoutMs = 5_000
const refreshPollMs = 100

async function isHandled(context: CliContext, { client }: ChosenCluster, key: Outcome['key'], asked: string): Promise<boolean> {
  const limit = context.now() + refreshTimeoutMs
  while (context.now() < limit && !context.signal.aborted) {
    if (isRefreshed(await getVm(client, key), asked)) return true
    await context.sleep(refreshPollMs)
  }
  return false
}

function choose(vm: VirtualMachine, entries: readonly NumberedEntry[], { to, family }: UndoFlags): NumberedEntry {
  try {
    return chooseRevision(vm, entries, { ...(to === undefined ? {} : { to }), ...(family === undefined ? {} : { family }) })
  } catch (error) {
    if (error instanceof NoSuchRevision) throw new CommandError(error.message, undefined, { cause: error })
    throw error
  }
}

/** Predicts the change. @throws CommandError when the VM could not start any more */
async function predict({ client }: ChosenCluster, change: Exclude<Change, { kind: 'apply' }>): Promise<PlannedVm | undefined> {
  const { namespace = '' } = change.vm
  const { virtualMachines: vms } = await plan(await readClusterState(client, { namespace }), [change])
  const planned = vms.find((vm) => vm.name === change.vm.name && vm.namespace === namespace)
  if (planned?.effect !== 'blocked' && planned?.effect !== 'conflict') return planned
  throw refusal({ ...change.vm, namespace }, planned.reason ?? planned.effect)
}

function refusal({ namespace, name }: Outcome['key'], reason: string): CommandError {
  return new CommandError(`VM "${namespace}/${name}" is left as it is: ${reason}`)
}

/** Sends the resourceVersion, so that the predicted change is the one that is made. */
async function write(
  { client }: ChosenCluster,
  vm: VirtualMachine,
  { body, dryRun }: { readonly body: object; readonly dryRun: boolean },
): Promise<void> {
  await patchIfUnchanged(client, virtualMachines, vm, body, { dryRun, fieldManager: 'steadyvm-rollout' })
}

interface Outcome {
  readonly done: string
  readonly planned: PlannedVm | undefined
  readonly key: { readonly namespace: string; readonly name: string }
}

function show(context: CliContext, flags: WriteFlags, { done, planned, key }: Outcome): void {
  const dry = flags.dryRun ? ' (dry run)' : ''
  print(context, flags.output, {
    kind: 'Rollout',
    document: { dryRun: flags.dryRun, virtualMachine: planned ?? key },
    names: [vmResourceName(key.name)],
    text: (isWide) =>
      `${vmResourceName(key.name)} ${done}${dry}\n${planned === undefined ? '' : `\n${renderVm(planned, { isWide, paint: paintFor(context, 'stdout') })}`}`,
  })
}
